/** An axis: the position of a value, and the values of its ticks. */
export interface Scale {
  (value: number): number;
  readonly ticks: readonly number[];
}

type Interval = readonly [number, number];

/** The smallest step of 1, 2 or 5 times a power of ten that divides the span into at most `count` parts. */
function niceStep(span: number, count: number): number {
  const power = 10 ** Math.floor(Math.log10(span / count));
  const factor = [1, 2, 5, 10].find((candidate) => span / (candidate * power) <= count)!;
  return factor * power;
}

/** Differences below this are invisible in a figure. */
const invisible = 1e-5;

/** A linear axis that begins and ends with a tick; equal values get some room around them. */
export function linearScale(values: readonly number[], range: Interval, count = 6): Scale {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const room = most - least > invisible ? 0 : Math.max(Math.abs(most) * 0.05, 0.01);
  const step = niceStep(most - least + 2 * room, count);
  const first = Math.floor((least - room) / step + 1e-9);
  const last = Math.ceil((most + room) / step - 1e-9);
  // Multiplied and rounded, so that no tick is 0.30000000000000004.
  const ticks = Array.from({ length: last - first + 1 }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  );
  return withTicks((value) => value, ticks, [ticks[0], ticks.at(-1)!], range);
}

/** A logarithmic axis of positive values with ticks at 1, 2 and 5 of each decade. */
export function logScale(values: readonly number[], range: Interval): Scale {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const domain: Interval = [least / 1.35, most * 1.35];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(domain[0])); power <= Math.log10(domain[1]); power++) {
    for (const factor of [1, 2, 5]) {
      const tick = Number((factor * 10 ** power).toPrecision(12));
      if (tick >= domain[0] && tick <= domain[1]) ticks.push(tick);
    }
  }
  return withTicks(Math.log, ticks, domain, range);
}

function withTicks(
  transform: (value: number) => number,
  ticks: readonly number[],
  domain: Interval,
  [from, to]: Interval,
): Scale {
  const [low, high] = domain.map(transform);
  const scale = (value: number): number => from + ((transform(value) - low) / (high - low)) * (to - from);
  return Object.assign(scale, { ticks });
}

/** The labels of ticks, all with the same number of decimals. */
export function tickLabels(ticks: readonly number[]): string[] {
  const decimals = Math.max(...ticks.map((tick) => (String(tick).split('.')[1] ?? '').length));
  return ticks.map((tick) => tick.toFixed(decimals));
}
