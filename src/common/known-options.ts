import { closest } from './closest.js';
import { BertQeError, usageError } from './errors.js';

/** The names of all options of a type; the compiler finds one that is missing. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** Refuses an option that does not exist, with the nearest name of one that does. */
export function refuseUnknownOptions(
  caller: string,
  options: object,
  known: Readonly<Record<string, true>>,
  example?: string,
): void {
  if (typeof options !== 'object' || options === null) {
    const such = example === undefined ? '' : ` as in ${example},`;
    throw usageError(`${caller}: the options are an object,${such} not ${JSON.stringify(options)}.`);
  }
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(known, name)) throw unknownOption(caller, name, Object.keys(known));
  }
}

function unknownOption(caller: string, name: string, known: readonly string[]): BertQeError {
  const near = closest(name, known);
  const hint = near === undefined ? `the options are ${known.join(', ')}.` : `did you mean ${near}?`;
  return usageError(`${caller}: there is no option "${name}"; ${hint}`);
}
