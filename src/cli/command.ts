import { clip, printable } from '../common/clip.js';
import { usageError } from '../common/errors.js';
import { closest } from '../common/closest.js';
import type { OptionSpecs, OptionValues } from './options.js';

/** The streams of a command, and the signal that stops it. */
export interface Io {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream & { isTTY?: boolean };
  /** Fires on Ctrl-C: commands stop at the next safe point, and what can be resumed stays. */
  readonly signal: AbortSignal;
}

/** Characters of a sentence about an input. */
const sentenceCharacters = 1000;

/** Reports a guess about an input on standard error, such as which file of a folder was taken. */
export function guessReporter({ stderr }: Io): (sentence: string) => void {
  // It may quote the names of a file's columns.
  return (sentence) => void stderr.write(`${clip(printable(sentence), sentenceCharacters)}\n`);
}

/** True where a stream is a terminal and colours are not switched off. */
export function hasColours(stream: NodeJS.WritableStream): boolean {
  return 'isTTY' in stream && stream.isTTY === true && !process.env['NO_COLOR'];
}

/** A positional argument. */
export interface PositionalSpec {
  readonly name: string;
  readonly help: string;
  readonly optional?: true;
  /** The values that it may have, for completions. */
  readonly choices?: readonly string[];
  /** Takes all that follow; for the last one only. */
  readonly multiple?: true;
}

/** A sub-command: its arguments and options as data, and what it does. */
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

/** The action of this name of a command that has several. */
export function actionNamed<A>(command: string, actions: Readonly<Record<string, A>>, name: string): A {
  if (Object.hasOwn(actions, name)) return actions[name];
  const names = Object.keys(actions);
  const near = closest(name, names);
  throw usageError(
    `${command} cannot "${name}"; ${near ? `did you mean "${near}"?` : `it can ${names.slice(0, -1).join(', ')} and ${names.at(-1)}.`}`,
  );
}

/** A command whose `run` has the types that follow from its `options`. */
export function defineCommand<const O extends OptionSpecs>(command: Command<O>): Command {
  return command as unknown as Command;
}
