const units = ['', 'K', 'M', 'G', 'T', 'P'];

/** `199 GFLOPs`: three digits, and the unit that leaves them before the point. */
export function formatFlops(flops: number): string {
  let unit = 0;
  let value = flops;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${significant(value)} ${units[unit]}FLOPs`;
}

/** `84 ms`, `2.51 s`. */
export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds >= 999.5) return `${significant(milliseconds / 1000)} s`;
  return milliseconds < 9.95 ? `${milliseconds.toFixed(1)} ms` : `${Math.round(milliseconds)} ms`;
}

/** `0.0258×`: how often BERT-Large's cost. */
export function formatTimes(times: number): string {
  return `${significant(times)}×`;
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** `12.1 %`. */
export function formatPercent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** A probability, three decimals; never one that looks certain and is not. */
export function formatProbability(value: number): string {
  if (value > 0 && value < 0.0005) return '<0.001';
  if (value < 1 && value > 0.9995) return '>0.999';
  return value.toFixed(3);
}

function significant(value: number): string {
  if (value === 0) return '0';
  const rounded = Number(value.toPrecision(3));
  const decimals = 2 - Math.floor(Math.log10(Math.abs(rounded)));
  return rounded.toFixed(Math.min(Math.max(decimals, 0), 4));
}
