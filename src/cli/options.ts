import { BertQeError } from '../common/errors.js';
import { closest } from '../common/closest.js';

/** An `--option` of a command as data, from which parsing, checking and help follow. */
export interface OptionSpec {
  readonly type: 'string' | 'number' | 'integer' | 'boolean';
  /** The placeholder of the value in the help, e.g. `FILE`. */
  readonly value?: string;
  readonly help: string;
  readonly default?: string | number | boolean;
  /** May be given several times; the value is then an array. */
  readonly multiple?: true;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

type Scalar<S extends OptionSpec> = S['choices'] extends readonly (infer C extends string)[]
  ? C
  : S['type'] extends 'string'
    ? string
    : S['type'] extends 'boolean'
      ? boolean
      : number;

type Value<S extends OptionSpec> = S['multiple'] extends true ? Scalar<S>[] : Scalar<S>;

/** True for options that always have a value: those with a default, booleans and repeatable ones. */
type IsPresent<S extends OptionSpec> = S['default'] extends string | number | boolean
  ? true
  : S['multiple'] extends true
    ? true
    : S['type'] extends 'boolean'
      ? true
      : false;

/** The parsed values by the names of the options, in kebab case as they are typed. */
export type OptionValues<O extends OptionSpecs> = {
  -readonly [K in keyof O]: IsPresent<O[K]> extends true ? Value<O[K]> : Value<O[K]> | undefined;
};

/** The arguments of a command line. */
export interface ParsedArguments {
  readonly options: Record<string, unknown>;
  readonly positionals: string[];
  readonly help: boolean;
}

/** Parses `--name value`, `--name=value` and positional arguments; throws at the first mistake. */
export function parseArguments(args: readonly string[], specs: OptionSpecs): ParsedArguments {
  const options: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(specs)) {
    if (spec.multiple) options[name] = [];
    else options[name] = spec.default ?? (spec.type === 'boolean' ? false : undefined);
  }
  const positionals: string[] = [];
  let help = false;
  for (let i = 0; i < args.length; i++) {
    const argument = args[i];
    if (argument === '--') {
      positionals.push(...args.slice(i + 1));
      break;
    }
    if (argument === '--help' || argument === '-h') {
      help = true;
    } else if (argument.startsWith('--')) {
      const equals = argument.indexOf('=');
      const name = argument.slice(2, equals < 0 ? undefined : equals);
      const spec = specs[name];
      if (!spec) throw unknownOption(name, specs);
      const inline = equals < 0 ? undefined : argument.slice(equals + 1);
      if (spec.type === 'boolean') {
        if (inline !== undefined) throw usageError(`--${name} takes no value; write it alone.`);
        options[name] = true;
        continue;
      }
      const text = inline ?? args[++i];
      if (text === undefined) throw usageError(`--${name} needs a value (${spec.value ?? spec.type}).`);
      const value = convert(name, spec, text);
      if (spec.multiple) (options[name] as unknown[]).push(value);
      else options[name] = value;
    } else if (argument.startsWith('-') && argument !== '-') {
      throw usageError(`Unknown option ${argument}; options are written --like-this.`);
    } else {
      positionals.push(argument);
    }
  }
  return { options, positionals, help };
}

function convert(name: string, spec: OptionSpec, text: string): string | number {
  if (spec.type === 'string') {
    if (spec.choices && !spec.choices.includes(text)) {
      throw usageError(`--${name} must be one of ${spec.choices.join(', ')}, not "${text}".`);
    }
    return text;
  }
  const value = text.trim() === '' ? Number.NaN : Number(text);
  const kind = spec.type === 'integer' ? 'a whole number' : 'a number';
  if (!Number.isFinite(value) || (spec.type === 'integer' && !Number.isSafeInteger(value))) {
    throw usageError(`--${name} must be ${kind}, not "${text}".`);
  }
  const { min, max } = spec;
  if ((min !== undefined && value < min) || (max !== undefined && value > max)) {
    const range =
      min !== undefined && max !== undefined
        ? `between ${min} and ${max}`
        : min !== undefined
          ? `at least ${min}`
          : `at most ${max}`;
    throw usageError(`--${name} must be ${kind} ${range}, not ${text}.`);
  }
  return value;
}

function unknownOption(name: string, specs: OptionSpecs): BertQeError {
  const names = Object.keys(specs);
  // Else the only one that begins alike: --docs for --documents, --output for --out.
  const alike = names.filter((other) => other.startsWith(name.slice(0, 3)) || name.startsWith(other));
  const near = closest(name, names) ?? (alike.length === 1 ? alike[0] : undefined);
  return usageError(`Unknown option --${name}${near ? `; did you mean --${near}?` : '; --help lists them.'}`);
}

/** A mistake in the command line. */
export function usageError(message: string): BertQeError {
  return new BertQeError('usage', message);
}
