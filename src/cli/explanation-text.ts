import type { BirchExplanation, ExplainedChunk, ExplainedDocument, Explanation } from '../expansion/index.js';
import type { ControlExplanation } from '../controls/index.js';
import { printable } from '../common/clip.js';
import { counted } from './format.js';

/** The explanation of any method. */
export type AnyExplanation = Explanation | BirchExplanation | ControlExplanation;

/** The options of {@link renderExplanation}. */
export interface RenderOptions {
  /** Columns of the terminal (100). */
  readonly width?: number;
  /** ANSI colours; for terminals only (false). */
  readonly colour?: boolean;
  /** Documents shown (10). */
  readonly limit?: number;
}

/** Columns of a document's id, and of a chunk's document; 60 are left for the chunk. */
const nameWidth = 22;
const sourceWidth = 14;

/**
 * Renders an explanation as text: the chunks with their weights, then the documents with their scores and moves. Of
 * other methods it shows the documents and, for Birch, their best sentences.
 */
export function renderExplanation(explanation: AnyExplanation, options: RenderOptions = {}): string {
  const { width = 100, colour = false, limit = 10 } = options;
  const { query, documents } = explanation;
  const layout = {
    width,
    limit,
    paint: colour ? ansi : plain,
    withInitial: documents.some(({ initial }) => initial !== null),
  };
  const rows = 'chunks' in explanation ? methodLines(explanation, layout) : otherLines(explanation, layout);
  return `${[layout.paint.bold(printable(query)), '', ...rows].join('\n')}\n`;
}

interface Layout {
  readonly width: number;
  readonly limit: number;
  readonly paint: Paint;
  /** True where documents have initial scores. */
  readonly withInitial: boolean;
}

function methodLines({ chunks, documents }: Explanation, layout: Layout): string[] {
  const { limit, paint } = layout;
  const sources = new Set(chunks.map(({ document }) => document)).size;
  const shown = documents.slice(0, limit);
  const heaviest = Math.max(...chunks.map(({ weight }) => weight));
  const highest = Math.max(0, ...shown.flatMap(({ chunkScores }) => chunkScores.map((score) => score ?? 0)));
  const expansion = [
    `Expanded with ${counted(chunks.length, 'chunk')} of ${counted(sources, 'document')}:`,
    paint.dim(`  # weight${' '.repeat(5)}rel(q,c) ${'from'.padEnd(sourceWidth)} chunk`),
    ...chunks.map((chunk, i) => chunkLine(chunk, i, heaviest, layout)),
    '',
  ];
  return [
    ...(chunks.length > 0 ? expansion : []),
    countLine(shown.length, documents.length),
    paint.dim(heading(layout.withInitial, chunks.length)),
    ...shown.flatMap((document) => documentLines(document, highest, layout)),
  ];
}

function otherLines({ documents }: BirchExplanation | ControlExplanation, layout: Layout): string[] {
  const { limit, paint, width, withInitial } = layout;
  const shown = documents.slice(0, limit);
  const title = `${'  #  document'.padEnd(6 + nameWidth)}   final${withInitial ? ' initial' : ''}  moved`;
  const linesOf = ({ id, final, initial, ranks, ...others }: (typeof documents)[number]): string[] => [
    `${placeAndName(ranks.final, id, paint)}${final.toFixed(3).padStart(8)}` +
      (withInitial ? (initial ?? Number.NaN).toFixed(2).padStart(8) : '') +
      `  ${movement([ranks.initial, ranks.final], paint)}`,
    ...('sentences' in others ? others.sentences : []).map(({ text, score }) =>
      paint.dim(`     ${fraction(score)} ${shorten(text, width - 11)}`),
    ),
  ];
  return [countLine(shown.length, documents.length), paint.dim(title), ...shown.flatMap(linesOf)];
}

function countLine(shown: number, documents: number): string {
  return shown < documents
    ? `The first ${shown} of ${counted(documents, 'document')}:`
    : `${counted(shown, 'document')}:`;
}

function placeAndName(place: number, id: string, paint: Paint): string {
  return `${String(place).padStart(3)}  ${paint.bold(shorten(id, nameWidth).padEnd(nameWidth + 1))}`;
}

function chunkLine(chunk: ExplainedChunk, i: number, heaviest: number, { width, paint }: Layout): string {
  const { text, document, weight, score } = chunk;
  const numbers = `${String(i + 1).padStart(3)} ${fraction(weight)} ${bar(weight / heaviest, 6)}  ${fraction(score)}    `;
  const source = shorten(document, sourceWidth).padEnd(sourceWidth);
  return `${numbers} ${paint.dim(source)} ${shorten(text, width - numbers.length - sourceWidth - 2)}`;
}

function heading(withInitial: boolean, chunks: number): string {
  return [
    '  #  document'.padEnd(6 + nameWidth),
    'final'.padStart(8),
    '    M',
    ' rel(q,d)',
    ...(chunks > 0 ? [' rel(C,d)'] : []),
    ...(withInitial ? [' initial'] : []),
    ...(chunks > 0 ? ['  rel(c,d)'.padEnd(chunks + 3)] : []),
    '  moved',
  ].join('');
}

/** The scores of a document and, in a second line, the beginning of its best passage. */
function documentLines(document: ExplainedDocument, highest: number, layout: Layout): string[] {
  const { width, paint, withInitial } = layout;
  const { id, ranks, chunkScores } = document;
  const sparks = chunkScores.map((score) => spark(score, highest)).join('');
  const numbers = [
    document.final.toFixed(3).padStart(8),
    ` ${fraction(document.combined)}`,
    `     ${fraction(document.queryScore)}`,
    ...(chunkScores.length > 0 ? [`     ${fraction(document.expansionScore)}`] : []),
    ...(withInitial ? [(document.initial ?? Number.NaN).toFixed(2).padStart(8)] : []),
    ...(chunkScores.length > 0 ? [`  ${sparks}`.padEnd(chunkScores.length + 3)] : []),
  ].join('');
  const passage = shorten(document.passage ?? '', width - 6);
  const moved = movement([ranks.initial, ranks.phase1, ranks.final], paint);
  return [
    `${placeAndName(ranks.final, id, paint)}${numbers}  ${moved}`,
    ...(passage === '' ? [] : [paint.dim(`     ${passage}`)]),
  ];
}

/** Places won (↑) or lost (↓) since the initial ranking, and the ranks, from the initial one to the final one. */
function movement(ranks: readonly (number | null)[], paint: Paint): string {
  const up = (ranks[0] ?? 0) - (ranks.at(-1) ?? 0);
  const visible = up > 0 ? `↑${up}` : up < 0 ? `↓${-up}` : '=';
  const arrow = up > 0 ? paint.green(visible) : up < 0 ? paint.red(visible) : visible;
  const path = ranks.map((rank) => rank ?? '?').join('→');
  return `${arrow.padStart(4 + arrow.length - visible.length)} ${paint.dim(path)}`;
}

/** .954, or dashes for an unknown value. */
function fraction(value: number | null): string {
  if (value === null) return ' ---';
  const text = value.toFixed(3);
  return text.startsWith('0') ? text.slice(1) : text.slice(0, 4);
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of up to `cells` cells, drawn to an eighth of a cell. */
function bar(share: number, cells: number): string {
  const filled = Math.round(share * cells * 8);
  return ('█'.repeat(Math.floor(filled / 8)) + eighths[filled % 8]).padEnd(cells);
}

const heights = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/**
 * A chunk score as one character. Its height is the share of the highest score that is shown, because models use
 * different parts of the interval from 0 to 1.
 */
function spark(score: number | null, highest: number): string {
  if (score === null) return '·';
  return heights[highest > 0 ? Math.min(7, Math.floor((8 * score) / highest)) : 0];
}

function shorten(text: string, width: number): string {
  const characters = [...printable(text)];
  return characters.length <= width
    ? characters.join('')
    : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

type Paint = Readonly<Record<'bold' | 'dim' | 'green' | 'red', (text: string) => string>>;

const escape = (code: number, end: number) => (text: string) => `\u001b[${code}m${text}\u001b[${end}m`;
const ansi: Paint = { bold: escape(1, 22), dim: escape(2, 22), green: escape(32, 39), red: escape(31, 39) };
const same = (text: string): string => text;
const plain: Paint = { bold: same, dim: same, green: same, red: same };
