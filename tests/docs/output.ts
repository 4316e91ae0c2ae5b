/**
 * The first line of a document's output that a program did not print; undefined where it printed all of them. Lines
 * are compared word by word. Numbers may differ by two in their last or seventh digit, since processors round
 * differently. `…` stands for any lines as a line, for any word as a word, and for the rest at the end of a line. Other
 * lines may come before and after each part.
 */
export function firstMissing(parts: readonly string[], printed: string): string | undefined {
  const expected = parts.map((part) => `…\n${part}`).join('\n');
  const lines = printed.split('\n').filter((line) => line.trim() !== '');
  let at = 0;
  let isGap = false;
  for (const line of expected.split('\n').filter((line) => line.trim() !== '')) {
    if (line.trim() === '…') {
      isGap = true;
      continue;
    }
    const found = lines.findIndex((printed, i) => i >= at && sameLine(line, printed));
    if (found < 0 || (!isGap && found > at)) return line;
    isGap = false;
    at = found + 1;
  }
  return undefined;
}

function sameLine(expected: string, printed: string): boolean {
  const [want, have] = [expected, printed].map((line) => line.trim().split(/\s+/));
  const open = want.at(-1) === '…';
  if (open ? have.length < want.length - 1 : have.length !== want.length) return false;
  return (open ? want.slice(0, -1) : want).every((word, i) => word === '…' || sameWord(word, have[i]));
}

function sameWord(expected: string, printed: string): boolean {
  if (expected === printed) return true;
  const number = /^-?\d*(?:\.(\d+))?$/;
  const [wanted, decimals = ''] = number.exec(expected) ?? [];
  if (wanted === undefined || decimals === '' || !number.test(printed)) return false;
  const [want, have] = [Number(expected), Number(printed)];
  return Math.abs(want - have) <= Math.max(2.001 * 10 ** -decimals.length, 1e-6 * Math.abs(want));
}
