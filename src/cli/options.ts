import { BertQeError, usageError } from '../common/errors.js';
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
  /** Goes with a `min`. */
  readonly max?: number;
  /** The models that the option applies to, if the command has a choice of models. */
  readonly of?: readonly string[];
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

type More = Partial<Omit<OptionSpec, 'type' | 'help'>>;

/** The exact type of an option. The types of a table's values follow from it. */
type Spec<T extends OptionSpec['type'], M> = { readonly type: T; readonly help: string } & NoInfer<M>;

function spec<T extends OptionSpec['type'], M>(type: T, help: string, more: M): Spec<T, M> {
  return { type, help, ...more } as Spec<T, M>;
}

/** An option with any text; `value` stands for it in the help. */
export function text<const M extends More = {}>(value: string, help: string, more = {} as M) {
  return spec('string', help, { value, ...more });
}

/** An option with one of several words. */
export function choice<const C extends readonly string[], const M extends More = {}>(
  choices: C,
  help: string,
  more = {} as M,
) {
  return spec('string', help, { choices, ...more });
}

export function number<const M extends More = {}>(help: string, more = {} as M) {
  return spec('number', help, more);
}

export function integer<const M extends More = {}>(help: string, more = {} as M) {
  return spec('integer', help, more);
}

/** An option without a value. */
export function flag(help: string) {
  return spec('boolean', help, {});
}

type Scalar<S extends OptionSpec> = S['choices'] extends readonly (infer C extends string)[]
  ? C
  : S['type'] extends 'string'
    ? string
    : S['type'] extends 'boolean'
      ? boolean
      : number;

type Value<S extends OptionSpec> = S['multiple'] extends true ? Scalar<S>[] : Scalar<S>;

/** The options that always have a value: those with a default, repeatable ones and flags. */
type Present = { default: string | number | boolean } | { multiple: true } | { type: 'boolean' };

/** `chunk-words` → `chunkWords`. */
type CamelCase<S> = S extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : S;

/** The parsed values. `--chunk-words` is `chunkWords`, the name of the library's option. */
export type OptionValues<O extends OptionSpecs> = {
  -readonly [K in keyof O as CamelCase<K>]: O[K] extends Present ? Value<O[K]> : Value<O[K]> | undefined;
};

export function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Some options of a table. */
export function pick<O extends OptionSpecs, const N extends keyof O>(
  table: O,
  ...names: readonly N[]
): Pick<O, N> {
  return Object.fromEntries(names.map((name) => [name, table[name]])) as unknown as Pick<O, N>;
}

/** The options of a table that another one does not have. */
export function without(table: OptionSpecs, other: object): OptionSpecs {
  return Object.fromEntries(Object.entries(table).filter(([name]) => !Object.hasOwn(other, name)));
}

/** The value of an option by the name that is typed. */
export function valueOf(options: object, name: string): unknown {
  return (options as Readonly<Record<string, unknown>>)[camelCase(name)];
}

/** The values of some of a command's options, for the library. */
export function valuesOf<O extends OptionSpecs>(specs: O, options: OptionValues<O>): OptionValues<O> {
  const names = Object.keys(specs);
  return Object.fromEntries(
    names.map((name) => [camelCase(name), valueOf(options, name)]),
  ) as OptionValues<O>;
}

/** The first of these options that has another value than its default. */
export function firstGiven(specs: OptionSpecs, options: object): string | undefined {
  return Object.keys(specs).find((name) => {
    const value = valueOf(options, name);
    return Array.isArray(value) ? value.length > 0 : value !== unset(specs[name]);
  });
}

/** Refuses options that have no effect, where they are given; `why` ends the sentence. */
export function refuseUseless(specs: OptionSpecs, options: object, why: string): void {
  const name = firstGiven(specs, options);
  if (name !== undefined) throw usageError(`--${name} has no effect ${why}`);
}

/** The value of an option that is not given. */
function unset({ default: usual, type }: OptionSpec): string | number | boolean | undefined {
  return usual ?? (type === 'boolean' ? false : undefined);
}

/** Parses `--name value`, `--name=value` and positional arguments; throws at the first mistake. */
export function parseArguments(
  args: readonly string[],
  specs: OptionSpecs,
): { options: Record<string, unknown>; positionals: string[]; help: boolean } {
  const options: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(specs)) {
    options[camelCase(name)] = spec.multiple ? [] : unset(spec);
  }
  const positionals: string[] = [];
  let help = false;
  const rest = args.values();
  for (const argument of rest) {
    if (argument === '--') {
      positionals.push(...rest);
    } else if (argument === '--help' || argument === '-h') {
      help = true;
    } else if (argument.startsWith('--')) {
      const [, name, inline] = /^--([^=]*)(?:=(.*))?$/s.exec(argument) as unknown as [
        string,
        string,
        string?,
      ];
      const spec = specs[name];
      if (!spec) throw unknownOption(name, specs);
      if (spec.type === 'boolean') {
        if (inline !== undefined) throw usageError(`--${name} takes no value; write it alone.`);
        options[camelCase(name)] = true;
        continue;
      }
      const text = inline ?? (rest.next().value as string | undefined);
      if (text === undefined) throw usageError(`--${name} needs a value (${spec.value ?? spec.type}).`);
      const value = convert(name, spec, text);
      if (spec.multiple) (options[camelCase(name)] as unknown[]).push(value);
      else options[camelCase(name)] = value;
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
  const { min = -Infinity, max = Infinity } = spec;
  if (value < min || value > max) {
    const range = max === Infinity ? `at least ${min}` : `between ${min} and ${max}`;
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
