/** The state in the address bar, which a shared link restores. */
export interface Address {
  readonly view: 'search' | 'experiments';
  readonly query: string;
  /** Pasted documents are in no link; they stay in the tab that has them. */
  readonly source: 'index' | 'pasted';
  /** Left out: the server's. */
  readonly model?: string;
  readonly depth?: number;
  readonly alpha?: number;
  readonly beta?: number;
  /** Id of the opened document. */
  readonly document?: string;
  /** Name of the opened experiment. */
  readonly experiment?: string;
}

export const emptyAddress: Address = { view: 'search', query: '', source: 'index' };

/** Reads the part of an address after `?`; what makes no sense is as if it were not there. */
export function readAddress(search: string): Address {
  const given = new URLSearchParams(search);
  const text = (name: string): string | undefined => given.get(name) || undefined;
  const model = text('model');
  const document = text('doc');
  const experiment = text('experiment');
  const depth = numberIn(text('depth'), 1, 10_000);
  const alpha = numberIn(text('alpha'), 0, 1);
  const beta = numberIn(text('beta'), 0, 1);
  return {
    view: given.get('view') === 'experiments' ? 'experiments' : 'search',
    query: text('q') ?? '',
    source: given.get('source') === 'pasted' ? 'pasted' : 'index',
    ...(model === undefined ? {} : { model }),
    ...(depth !== undefined && Number.isInteger(depth) ? { depth } : {}),
    ...(alpha === undefined ? {} : { alpha }),
    ...(beta === undefined ? {} : { beta }),
    ...(document === undefined ? {} : { document }),
    ...(experiment === undefined ? {} : { experiment }),
  };
}

/** `?…`, or `.` for the bare page: what is as it would be anyway is left out. */
export function writeAddress(address: Address): string {
  const parts: [string, string | number | undefined][] = [
    ['view', address.view === 'search' ? undefined : address.view],
    ['experiment', address.experiment],
    ['q', address.query || undefined],
    ['source', address.source === 'index' ? undefined : address.source],
    ['model', address.model],
    ['depth', address.depth],
    ['alpha', address.alpha],
    ['beta', address.beta],
    ['doc', address.document],
  ];
  const written = new URLSearchParams();
  for (const [name, value] of parts) if (value !== undefined) written.set(name, String(value));
  return written.size === 0 ? '.' : `?${written}`;
}

function numberIn(text: string | undefined, least: number, most: number): number | undefined {
  const value = text === undefined ? Number.NaN : Number(text);
  return value >= least && value <= most ? value : undefined;
}
