import { BertQeError } from '../common/errors.js';

/** Everything the result depends on, as plain values: settings, and hashes of what was read. */
export type Configuration = Readonly<Record<string, string | number>>;

/** Refuses to go on with what was begun under another configuration, and says what differs. */
export function requireSame(saved: Configuration, now: Configuration, folder: string): void {
  const names = [...new Set([...Object.keys(saved), ...Object.keys(now)])];
  const differing = names.filter((name) => saved[name] !== now[name]);
  if (differing.length === 0) return;
  const changes = differing.map((name) => `${name} (${show(saved[name])}, now ${show(now[name])})`);
  throw new BertQeError(
    'input',
    `${folder}: its checkpoint is of another configuration: ${changes.join(', ')}. Go on with the same options and ` +
      'inputs, or name another folder.',
  );
}

function show(value: string | number | undefined): string {
  const text = value === undefined ? 'unset' : String(value);
  return text.length > 24 ? `${text.slice(0, 8)}…` : text;
}
