import { getOrInsert } from '../../common/get-or-insert.js';

type Labels = Readonly<Record<string, string>>;

/** A family of metrics in the Prometheus text format. */
interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  lines(): Iterable<string>;
}

/** A number that only grows. */
export class Counter implements Family {
  readonly type = 'counter';
  readonly #values = new Map<string, number>();

  constructor(
    readonly name: string,
    readonly help: string,
  ) {}

  add(labels: Labels, amount = 1): void {
    const key = labelText(labels);
    this.#values.set(key, (this.#values.get(key) ?? 0) + amount);
  }

  *lines(): Iterable<string> {
    for (const [labels, value] of this.#values) yield `${this.name}${labels} ${value}`;
  }
}

/** A value that is read when metrics are rendered. */
export class Gauge implements Family {
  constructor(
    readonly name: string,
    readonly help: string,
    private readonly value: () => number,
    readonly type: 'gauge' | 'counter' = 'gauge',
  ) {}

  *lines(): Iterable<string> {
    yield `${this.name} ${this.value()}`;
  }
}

/** Counts of values by size. */
export class Histogram implements Family {
  readonly type = 'histogram';
  readonly #series = new Map<string, { labels: Labels; counts: number[]; sum: number; count: number }>();

  constructor(
    readonly name: string,
    readonly help: string,
    /** Upper bounds of the buckets, rising. */
    private readonly bounds: readonly number[],
  ) {}

  observe(value: number, labels: Labels = {}): void {
    const none = () => ({ labels, counts: this.bounds.map(() => 0), sum: 0, count: 0 });
    const series = getOrInsert(this.#series, labelText(labels), none);
    series.sum += value;
    series.count++;
    const bucket = this.bounds.findIndex((bound) => value <= bound);
    if (bucket >= 0) series.counts[bucket]++;
  }

  *lines(): Iterable<string> {
    for (const { labels, counts, sum, count } of this.#series.values()) {
      let below = 0;
      for (const [i, bound] of this.bounds.entries()) {
        below += counts[i];
        yield `${this.name}_bucket${labelText({ ...labels, le: String(bound) })} ${below}`;
      }
      yield `${this.name}_bucket${labelText({ ...labels, le: '+Inf' })} ${count}`;
      yield `${this.name}_sum${labelText(labels)} ${sum}`;
      yield `${this.name}_count${labelText(labels)} ${count}`;
    }
  }
}

/** Renders families as text, exposition format 0.0.4. */
export function exposition(families: readonly Family[]): string {
  const lines: string[] = [];
  for (const family of families) {
    lines.push(`# HELP ${family.name} ${family.help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`);
    lines.push(`# TYPE ${family.name} ${family.type}`, ...family.lines());
  }
  return `${lines.join('\n')}\n`;
}

/** Labels in their text form. It runs several times for every request, so it makes no arrays. */
function labelText(labels: Labels): string {
  let text = '';
  for (const name of Object.keys(labels))
    text += `${text === '' ? '{' : ','}${name}="${escapeLabel(labels[name])}"`;
  return text === '' ? '' : `${text}}`;
}

function escapeLabel(value: string): string {
  if (!/["\\\n]/.test(value)) return value;
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
