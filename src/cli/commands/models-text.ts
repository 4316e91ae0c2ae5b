import { alignColumns } from '../../common/table/text.js';
import { type ModelDescription, weightFlops } from '../../bert/index.js';
import { formatCount } from '../progress.js';

/** The length to which the paper pads every sequence, and counts FLOPs at. */
const PAPER_TOKENS = 384;

export interface ListedModel {
  readonly name: string;
  readonly letter?: string;
  readonly folder: string;
  readonly modelType?: string;
  readonly labels?: number;
  /** Why the folder cannot be read. */
  readonly problem?: string;
}

export function renderList(models: readonly ListedModel[]): string {
  const rows = models.map(({ name, letter, folder, modelType, labels, problem }) => [
    letter ?? '',
    name,
    problem === undefined ? `${modelType}, ${labels} ${labels === 1 ? 'label' : 'labels'}` : 'damaged',
    problem ?? folder,
  ]);
  return `${alignColumns([['', 'name', 'kind', 'folder'], ...rows]).join('\n')}\n`;
}

/** What is known of a model, for people or as JSON. */
export function renderDescription(model: ModelDescription, json: boolean): string {
  const flops = model.config ? weightFlops(model.config) * PAPER_TOKENS : undefined;
  const { config, ...rest } = model;
  if (json) {
    const shape = config ? { layers: config.layers, hidden: config.hidden, heads: config.heads } : {};
    return `${JSON.stringify({ ...rest, ...shape, ...(flops === undefined ? {} : { flopsPer384Tokens: flops }) })}\n`;
  }
  const facts: [string, string][] = [['folder', model.folder]];
  if (model.letter) facts.push(['size', model.letter]);
  facts.push(['kind', model.modelType]);
  if (config)
    facts.push(['shape', `${config.layers} layers, hidden ${config.hidden}, ${config.heads} heads`]);
  if (model.parameters !== undefined) facts.push(['parameters', formatCount(model.parameters)]);
  if (flops !== undefined) facts.push([`FLOPs per ${PAPER_TOKENS} tokens`, formatFlops(flops)]);
  facts.push(
    ['tokenizer', `${model.tokenizer}, ${formatCount(model.vocabulary)} pieces`],
    ['labels', model.labels === 1 ? '1 (sigmoid)' : `${model.labels} (softmax)`],
    ['positions', formatCount(model.maxPositions)],
    ['weights', model.weights],
  );
  const files = model.files.map(({ name, bytes, sha256 }) => [name, formatCount(bytes), sha256]);
  const lines = [...alignColumns(facts), '', ...alignColumns([['file', 'bytes', 'sha256'], ...files])];
  return `${lines.join('\n')}\n`;
}

function formatFlops(flops: number): string {
  return flops >= 1e12 ? `${(flops / 1e12).toFixed(2)} T` : `${(flops / 1e9).toFixed(2)} G`;
}
