import type { OptionSpecs, OptionValues } from './options.js';

/** Where a command reads from and writes to; tests hand in their own. */
export interface Io {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream & { isTTY?: boolean };
  /** Fires on Ctrl-C: commands stop at the next safe point and leave resumable work behind. */
  readonly signal: AbortSignal;
}

/** One positional argument. */
export interface PositionalSpec {
  readonly name: string;
  readonly help: string;
  readonly optional?: true;
  /** Takes all that follow (the last one only). */
  readonly multiple?: true;
}

/** A sub-command, as data plus `run`. */
export interface Command<O extends OptionSpecs = OptionSpecs> {
  readonly name: string;
  /** One line for `bert-qe --help`. */
  readonly summary: string;
  readonly positionals?: readonly PositionalSpec[];
  readonly options: O;
  /** Shown at the end of `--help`, one per line. */
  readonly examples?: readonly string[];
  run(input: { options: OptionValues<O>; positionals: string[]; io: Io }): Promise<void>;
}

/** Gives `run` the types that follow from `options`. */
export function defineCommand<const O extends OptionSpecs>(command: Command<O>): Command<O> {
  return command;
}
