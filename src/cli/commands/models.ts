import {
  convertModel,
  describeModel,
  fetchModel,
  findModel,
  listModels,
  nameModel,
  quantizeModel,
  readCrossEncoderConfig,
  DEFAULT_MAX_LENGTH,
  SIZE_FOLDERS,
  weightFlops,
  type ModelDescription,
} from '../../bert/index.js';
import { inputError, reasonOf, usageError } from '../../common/errors.js';
import { omitUndefined } from '../../common/omit-undefined.js';
import { actionNamed, defineCommand, type Io } from '../command.js';
import { OPTIONS } from '../option-table.js';
import { choice, type OptionValues, text } from '../options.js';
import { counted, formatCount, tableText, writeJson } from '../format.js';
import { Progress } from '../progress.js';
import { readAllPairs } from '../pairs.js';

const options = {
  out: text('DIR', 'convert, quantize: new folder for the model'),
  format: choice(
    ['safetensors', 'onnx', 'web'],
    'convert: what to write; onnx is what Transformers.js loads, web the smallest download for pages',
    { default: 'safetensors' },
  ),
  dtype: choice(['float32', 'float16'], 'convert: numbers in the safetensors file', { default: 'float32' }),
  pairs: text(
    'FILE',
    'quantize: JSON lines {"a", "b"} to choose scales and measure agreement on (the demo articles)',
  ),
  as: text('NAME', 'get: also call it so, for example M, B or L'),
  revision: text('REV', 'get: branch, tag or commit', { default: 'main' }),
  json: { ...OPTIONS.json, help: 'list, info: write JSON' },
} as const;

type Values = OptionValues<typeof options>;

type Action = (model: string | undefined, options: Values, io: Io) => Promise<void>;

const actions: Readonly<Record<string, Action>> = { list, get, convert, quantize, info };

export const modelsCommand = defineCommand({
  name: 'models',
  summary: 'List, fetch, convert, quantize and describe models.',
  positionals: [
    { name: 'ACTION', help: 'list, get, convert, quantize or info', choices: Object.keys(actions) },
    { name: 'MODEL', help: 'a letter, a name, a folder or checkpoint; for get: ORG/NAME', optional: true },
  ],
  options,
  examples: [
    'bert-qe models list',
    'bert-qe models get cross-encoder/ms-marco-MiniLM-L6-v2',
    'bert-qe models convert uncased_L-8_H-512_A-8/bert_model.ckpt --out medium --dtype float16',
    'bert-qe models quantize S --out small-int8 --pairs pairs.jsonl',
    'bert-qe models info S',
  ],
  async run({ options, positionals: [name, model], io }) {
    await actionNamed('models', actions, name)(model, options, io);
  },
});

async function list(_model: string | undefined, { json }: Values, io: Io): Promise<void> {
  const models = [];
  const rows = [['', 'name', 'kind', 'folder']];
  for (const [name, folder] of await listModels()) {
    const letter = Object.entries(SIZE_FOLDERS).find(([, folderName]) => folderName === name)?.[0];
    // A folder that cannot be read is listed too, with the reason.
    const found = await readCrossEncoderConfig(folder).then(
      ({ modelType, labels }) => ({ modelType, ...omitUndefined({ labels }) }),
      (error: unknown) => ({ problem: reasonOf(error) }),
    );
    models.push({ name, ...omitUndefined({ letter }), folder, ...found });
    if ('problem' in found) {
      rows.push([letter ?? '', name, 'damaged', found.problem]);
    } else {
      const kind = found.labels ? `${found.modelType}, ${counted(found.labels, 'label')}` : found.modelType;
      rows.push([letter ?? '', name, kind, folder]);
    }
  }
  if (json) writeJson(io, models);
  else io.stdout.write(tableText(rows));
}

async function get(model: string | undefined, { revision, as }: Values, io: Io): Promise<void> {
  const repository = required(
    model,
    'models get needs ORG/NAME, for example cross-encoder/ms-marco-MiniLM-L6-v2.',
  );
  const name = as === undefined ? undefined : (SIZE_FOLDERS[as as keyof typeof SIZE_FOLDERS] ?? as);
  if (name !== undefined && !/^[\w][\w.-]*$/.test(name)) {
    throw usageError(`--as ${name}: a name has letters, digits, ".", "_" and "-" only.`);
  }
  const progress = new Progress(io, 'bytes');
  const { folder, files, fromCache } = await fetchModel(repository, {
    revision,
    signal: io.signal,
    onProgress: ({ file, received, size, fileNumber, fileCount }) =>
      progress.update(received, received / size, `${file} (${fileNumber} of ${fileCount})`),
  }).finally(() => progress.done());
  if (name !== undefined) await nameModel(folder, name);
  io.stderr.write(
    `${repository}: ${files.length} files${fromCache ? ' from the cache' : ''}${as ? `, now also called ${as}` : ''}\n`,
  );
  io.stdout.write(`${folder}\n`);
}

async function convert(model: string | undefined, { out, format, dtype }: Values, io: Io): Promise<void> {
  const source = required(model, 'models convert needs a model folder or a checkpoint file.');
  const target = required(out, 'models convert needs --out DIR, a new folder for the model.');
  const found = await findModel(source).catch(() => source);
  await convertModel(found, target, { format, dtype, signal: io.signal });
  const written = { safetensors: `safetensors, ${dtype}`, onnx: 'ONNX', web: 'model.safetensors.gz' }[format];
  io.stderr.write(`${target}: written as ${written}\n`);
}

async function quantize(model: string | undefined, { out, pairs }: Values, io: Io): Promise<void> {
  const source = await findModel(
    required(model, 'models quantize needs a model: a letter, a name or a folder.'),
  );
  const target = required(out, 'models quantize needs --out DIR, a new folder for the int8 model.');
  const given = pairs === undefined ? undefined : await readAllPairs(pairs);
  if (given?.length === 0) throw inputError(`${pairs}: holds no pairs.`);
  const agreement = await quantizeModel(source, target, { pairs: given, signal: io.signal });
  const perList = Number.isNaN(agreement.tauPerList) ? '' : `, ${agreement.tauPerList.toFixed(4)} per list`;
  io.stdout.write(
    `${target}: int8; on ${formatCount(agreement.pairs)} pairs Kendall's tau with fp32 is ` +
      `${agreement.tau.toFixed(4)}${perList}; largest difference of a score ${agreement.largestDifference.toFixed(4)}\n`,
  );
}

async function info(name: string | undefined, { json }: Values, io: Io): Promise<void> {
  const folder = await findModel(required(name, 'models info needs a model: a letter, a name or a folder.'));
  const model = await describeModel(folder);
  const flops = model.config ? weightFlops(model.config) * DEFAULT_MAX_LENGTH : undefined;
  if (!json) return void io.stdout.write(descriptionText(model, flops));
  const { config, ...rest } = model;
  const shape = config ? { layers: config.layers, hidden: config.hidden, heads: config.heads } : {};
  writeJson(io, { ...rest, ...shape, ...omitUndefined({ flopsPer384Tokens: flops }) });
}

function required(value: string | undefined, message: string): string {
  if (value === undefined) throw usageError(message);
  return value;
}

/** The description of a model as text. */
function descriptionText(model: ModelDescription, flops: number | undefined): string {
  const { config } = model;
  const facts: [string, string][] = [['folder', model.folder]];
  if (model.letter) facts.push(['size', model.letter]);
  facts.push(['kind', model.modelType]);
  if (config)
    facts.push(['shape', `${config.layers} layers, hidden ${config.hidden}, ${config.heads} heads`]);
  if (model.parameters !== undefined) facts.push(['parameters', formatCount(model.parameters)]);
  if (flops !== undefined) facts.push([`FLOPs per ${DEFAULT_MAX_LENGTH} tokens`, formatFlops(flops)]);
  facts.push(
    ['tokenizer', `${model.tokenizer}, ${formatCount(model.vocabulary)} pieces`],
    ['labels', labelText(model.labels)],
    ['positions', formatCount(model.maxPositions)],
    ['weights', model.weights],
  );
  const files = model.files.map(({ name, bytes, sha256 }) => [name, formatCount(bytes), sha256]);
  return `${tableText(facts)}\n${tableText([['file', 'bytes', 'sha256'], ...files])}`;
}

function labelText(labels: number | undefined): string {
  if (labels === undefined) return 'as the ONNX export has';
  return labels === 1 ? '1 (sigmoid)' : `${labels} (softmax)`;
}

function formatFlops(flops: number): string {
  return flops >= 1e12 ? `${(flops / 1e12).toFixed(2)} T` : `${(flops / 1e9).toFixed(2)} G`;
}
