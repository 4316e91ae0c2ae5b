import { usageError } from '../../common/errors.js';
import { families, nicknames } from './catalogue.js';
import type { Measure, MeasureArguments, MeasureFamily, ParameterName } from './measure.js';

/** Reads a comma-separated list of measures; a measure named twice is taken once. */
export function parseMeasures(list: string | readonly string[]): Measure[] {
  const measures = measuresOf(typeof list === 'string' ? split(list) : list);
  if (measures.length === 0) throw usageError('No measure is named; for example: P@20,nDCG@20,AP.');
  return measures;
}

/** Measures, some of which may be given by their names, each once. */
export function measuresOf(list: readonly (Measure | string)[]): Measure[] {
  const all = list.flatMap((measure) =>
    typeof measure === 'string' ? (nicknames.get(measure) ?? [measure]).map(parseMeasure) : [measure],
  );
  return [...new Map(all.map((measure) => [measure.name, measure])).values()];
}

/** Reads one measure as ir_measures (`nDCG(dcg='exp-log2')@20`) or trec_eval (`ndcg_cut_20`) writes it. */
export function parseMeasure(text: string): Measure {
  const match = /^\s*([A-Za-z][\w.-]*)\s*(?:\(([^()]*)\))?\s*(?:@\s*([^\s@]+))?\s*$/.exec(text);
  if (!match) throw usageError(`"${text}" is not a measure; write NAME, NAME@k or NAME(rel=2)@k.`);
  const [, name, parameterText, atText] = match;
  const named = findFamily(name) ?? findTrecName(name);
  if (!named)
    throw usageError(`Unknown measure "${text.trim()}"; there are ${families.map(signature).join(', ')}.`);
  if (named.at !== undefined && atText !== undefined) throw usageError(`"${text}" names two cutoffs.`);
  const { family } = named;
  const at = readAt(family, named.at ?? atText, text);
  return bind(family, at, readParameters(family, parameterText, text));
}

/** The notation of a family: `P@k`, `AP[@k]`, `IPrec@recall`, `bpref`. */
function signature({ name, at }: MeasureFamily): string {
  return name + (at === undefined ? '' : { rank: '@k', 'optional-rank': '[@k]', recall: '@recall' }[at]);
}

/** All families with their descriptions, for help texts. */
export function describeMeasures(): (readonly [signature: string, help: string])[] {
  return families.map((family) => [signature(family), family.help]);
}

interface NamedFamily {
  readonly family: MeasureFamily;
  /** The cutoff inside a trec_eval name. */
  readonly at?: string;
}

function findFamily(name: string): NamedFamily | undefined {
  const wanted = name.toLowerCase();
  const family = families.find((candidate) =>
    [candidate.name, ...(candidate.aliases ?? [])].some((known) => known.toLowerCase() === wanted),
  );
  return family && { family };
}

function findTrecName(name: string): NamedFamily | undefined {
  for (const family of families) {
    const { plain, cut } = family.trec;
    if (name === plain) return { family };
    if (cut !== undefined && name.startsWith(`${cut}_`)) return { family, at: name.slice(cut.length + 1) };
  }
  return undefined;
}

function readAt(family: MeasureFamily, text: string | undefined, measure: string): number | undefined {
  if (text === undefined) {
    if (family.at === 'rank') throw usageError(`${family.name} needs a cutoff: write ${family.name}@20.`);
    if (family.at === 'recall') throw usageError(`${family.name} needs a recall: write ${family.name}@0.1.`);
    return undefined;
  }
  const value = Number(text);
  switch (family.at) {
    case undefined:
      throw usageError(`${family.name} takes no cutoff: write ${family.name} instead of "${measure}".`);
    case 'recall':
      if (value >= 0 && value <= 1) return value;
      throw usageError(`"${measure}": the recall must be a number between 0 and 1, not "${text}".`);
    default:
      if (Number.isSafeInteger(value) && value >= 1) return value;
      throw usageError(`"${measure}": the cutoff must be a whole number from 1, not "${text}".`);
  }
}

type Parameters = { -readonly [K in ParameterName]?: MeasureArguments[K] };

function readParameters(family: MeasureFamily, text: string | undefined, measure: string): Parameters {
  const { parameters: known = ['rel'] } = family;
  const parameters: Parameters = {};
  for (const part of text?.split(',') ?? []) {
    if (part.trim() === '') continue;
    const match = /^\s*(\w+)\s*=\s*(?:'([^']*)'|"([^"]*)"|([^\s'"]+))\s*$/.exec(part);
    if (!match) throw usageError(`"${measure}": parameters are written name=value, not "${part.trim()}".`);
    const [, name, ...values] = match;
    const value = values.find((candidate) => candidate !== undefined) ?? '';
    if (!(known as readonly string[]).includes(name)) {
      const allowed = known.length > 0 ? `only ${known.join(', ')}` : 'none';
      throw usageError(`"${measure}": ${family.name} has no parameter "${name}" (${allowed}).`);
    }
    Object.assign(parameters, readParameter(name as ParameterName, value, measure));
  }
  return parameters;
}

function readParameter(name: ParameterName, text: string, measure: string): Parameters {
  const value = text === '' ? Number.NaN : Number(text);
  switch (name) {
    case 'rel':
      if (Number.isSafeInteger(value) && value >= 0) return { rel: value };
      throw usageError(`"${measure}": rel must be a whole number from 0, not "${text}".`);
    case 'beta':
      if (Number.isFinite(value) && value > 0) return { beta: value };
      throw usageError(`"${measure}": beta must be a number above 0, not "${text}".`);
    case 'dcg':
      if (text === 'log2' || text === 'exp-log2') return { dcg: text };
      throw usageError(`"${measure}": dcg must be 'log2' or 'exp-log2', not "${text}".`);
  }
}

function bind(family: MeasureFamily, at: number | undefined, parameters: Parameters): Measure {
  const given = Object.entries(parameters)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? `'${value}'` : value}`);
  const name =
    family.name + (given.length > 0 ? `(${given.join(',')})` : '') + (at === undefined ? '' : `@${at}`);
  const { rel, dcg = 'log2', beta = 1 } = parameters;
  return {
    name,
    trecName: given.length > 0 ? name : (trecName(family, at) ?? name),
    ...(family.at !== 'recall' && at !== undefined && { cutoff: at }),
    summary: family.summary ?? 'mean',
    isCount: family.isCount ?? false,
    printedPerQuery: family.printedPerQuery ?? true,
    value: (ranking, { relevanceLevel, trecEval }) =>
      family.value(ranking, { rel: rel ?? relevanceLevel, at: at ?? Infinity, dcg, beta, trecEval }),
  };
}

function trecName({ trec, at: kind }: MeasureFamily, at: number | undefined): string | undefined {
  if (at === undefined) return trec.plain;
  return trec.cut && `${trec.cut}_${kind === 'recall' ? at.toFixed(2) : at}`;
}

/** Splits at commas outside parentheses. */
function split(list: string): string[] {
  return list.split(/,(?![^()]*\))/).filter((name) => name.trim() !== '');
}
