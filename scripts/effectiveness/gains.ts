// What systems add to others, read from the tables of a study and written in Markdown.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { correct } from '../../src/evaluation/index.js';

export interface Table {
  readonly rows: readonly Readonly<Record<string, number | string | null>>[];
  readonly notes: readonly string[];
}

export function tableOf(folder: string, id: string): Table {
  const path = join(folder, 'tables', `${id}.json`);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Table) : { rows: [], notes: [] };
}

/** What a system adds to another on a collection. */
export interface Gain {
  readonly Collection: string;
  readonly Queries: number;
  readonly Without: number;
  readonly With: number;
  readonly Difference: number;
  readonly From: number;
  readonly To: number;
  readonly d: number;
  readonly p: number;
  /** Null for collections taken together. */
  readonly 'p (Holm)': number | null;
}

export const gainsOf = (folder: string, system: string, measure = 'nDCG@20') =>
  tableOf(folder, `difference-${system}`).rows.filter(
    ({ Measure }) => Measure === measure,
  ) as unknown as Gain[];
export const find = (gains: readonly Gain[], name: string) =>
  gains.find(({ Collection }) => Collection === name)!;
export const single = (gains: readonly Gain[]) => gains.filter((gain) => gain['p (Holm)'] !== null);

/** AP, with grades from 2 as relevant where the collections say so. */
export const fromTwo = ['trec-dl19-passage', 'trec-dl20-passage', 'acord'];
export function apOf(folder: string, system: string): Gain[] {
  const graded = gainsOf(folder, system, 'AP(rel=2)@100');
  const all = gainsOf(folder, system, 'AP@100').map((gain) =>
    gain['p (Holm)'] === null || fromTwo.includes(gain.Collection) ? find(graded, gain.Collection) : gain,
  );
  const p = single(all).map((gain) => gain.p);
  return all.map((gain, i) =>
    gain['p (Holm)'] === null ? gain : { ...gain, 'p (Holm)': correct(p, 'holm')[i]! },
  );
}

export const figure = (value: number) => value.toFixed(4).replace(/^0/, '');
export const signed = (value: number) => `${value < 0 ? '−' : '+'}${figure(Math.abs(value))}`;
export const interval = ({ From, To }: Gain) => `${signed(From)} to ${signed(To)}`;
export const inWords = (p: number) => (p < 0.001 ? '< .001' : p.toFixed(3).replace(/^0/, ''));
/** Significant values are bold. */
export const strong = (p: number | null) => (p === null ? '' : p < 0.05 ? `**${inWords(p)}**` : inWords(p));
/** The collections of the studies. */
export const collections = [...fromTwo, 'nfcorpus', 'cranfield', 'cisi', 'npl', 'cacm', 'scifact'];

/** Short names of collections. */
export const label = (name: string) => name.replace(/^trec-dl(\d\d)-passage$/, 'DL 20$1');
export const list = (names: readonly string[]) => names.join(', ').replace(/, ([^,]*)$/, ' and $1');
export const meanOf = (gains: readonly Gain[], side: 'With' | 'Without' | 'Difference') => {
  const own = single(gains);
  return own.reduce((sum, gain) => sum + gain[side], 0) / own.length;
};

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
export function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [line(head), line(head.map((_, i) => (i === 0 ? ':---' : '---:'))), ...rows.map(line), ''];
}

/** "above on 6, significantly on 2 (DL 2019 and cranfield; with Holm's correction on cranfield), below on 3, significantly on none" */
export function verdict(gains: readonly Gain[]): string {
  const named = (those: readonly Gain[]) =>
    those.length === 0 ? 'none' : list(those.map(({ Collection }) => label(Collection)));
  const side = (sign: number) => {
    const there = single(gains).filter(({ Difference }) => Math.sign(Difference) === sign);
    const significant = there.filter(({ p }) => p < 0.05);
    const corrected = significant.filter((gain) => gain['p (Holm)']! < 0.05);
    if (significant.length === 0) return `${there.length}, significantly on none`;
    const holm =
      corrected.length === significant.length
        ? "also with Holm's correction"
        : `with Holm's correction on ${named(corrected)}`;
    return `${there.length}, significantly on ${significant.length} (${named(significant)}; ${holm})`;
  };
  return `above on ${side(1)}; below on ${side(-1)}`;
}
