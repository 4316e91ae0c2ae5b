/**
 * Kendall's τ-b between two scorings of the same items: 1 if all pairs of items have the same order, −1 if all have the
 * opposite order, with a correction for ties. NaN if a scoring ties all items.
 */
export function kendallTau(x: ArrayLike<number>, y: ArrayLike<number>): number {
  const n = x.length;
  const order = Array.from({ length: n }, (_, i) => i).sort((i, j) => x[i] - x[j] || y[i] - y[j]);
  const [byX, byY] = [order.map((i) => x[i]), order.map((i) => y[i])];
  const tiedBoth = tiedPairs(n, (i) => byX[i] === byX[i - 1] && byY[i] === byY[i - 1]);
  const tiedX = tiedPairs(n, (i) => byX[i] === byX[i - 1]);
  const discordant = inversions(byY);
  // Counting has left y in ascending order, so equal values are neighbours.
  const tiedY = tiedPairs(n, (i) => byY[i] === byY[i - 1]);
  const all = (n * (n - 1)) / 2;
  const concordant = all - tiedX - tiedY + tiedBoth - discordant;
  return (concordant - discordant) / Math.sqrt((all - tiedX) * (all - tiedY));
}

/** The number of pairs within runs of items, each of which is tied with the one before. */
function tiedPairs(items: number, isTied: (item: number) => boolean): number {
  let pairs = 0;
  let before = 0;
  for (let item = 1; item < items; item++) {
    before = isTied(item) ? before + 1 : 0;
    pairs += before;
  }
  return pairs;
}

/** The number of pairs in descending order, counted by merging; sorts `values` in place. */
function inversions(values: number[]): number {
  const n = values.length;
  let count = 0;
  let from = values;
  let to: number[] = Array.from({ length: n });
  for (let width = 1; width < n; width *= 2) {
    for (let start = 0; start < n; start += 2 * width) {
      const middle = Math.min(start + width, n);
      const end = Math.min(start + 2 * width, n);
      for (let left = start, right = middle, at = start; at < end; at++) {
        if (left < middle && (right >= end || from[left] <= from[right])) {
          to[at] = from[left++];
        } else {
          to[at] = from[right++];
          count += middle - left;
        }
      }
    }
    [from, to] = [to, from];
  }
  if (from !== values) from.forEach((value, i) => (values[i] = value));
  return count;
}
