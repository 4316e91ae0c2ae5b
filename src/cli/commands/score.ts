import { BertScorer, type Logits, probabilities } from '../../bert/index.js';
import { BertQeError } from '../../common/errors.js';
import { standardStream, writeOutput } from '../../common/output.js';
import { defineCommand, type Io } from '../command.js';
import { formatCount, formatDuration, Progress } from '../progress.js';
import { readPairs } from './pairs.js';
import { modelOptions } from './rerank-models.js';

/** Pairs that are scored together; two such blocks are in memory, whatever the length of the file. */
const BLOCK_PAIRS = 2048;

export const scoreCommand = defineCommand({
  name: 'score',
  summary: 'Score pairs of texts with a cross-encoder: JSON lines in, JSON lines out, in order.',
  options: {
    model: { type: 'string', value: 'MODEL', help: 'by letter (T, S, M, B, L), name or path' },
    pairs: { type: 'string', value: 'FILE', help: '{"a": …, "b": …} a line, .gz too; - is stdin' },
    device: modelOptions.device,
    precision: modelOptions.precision,
    'max-length': { type: 'integer', min: 16, default: 384, help: 'tokens of a pair, special ones included' },
    out: { type: 'string', value: 'FILE', default: standardStream, help: 'where to write; - is stdout' },
  },
  examples: [
    'bert-qe score --model S --pairs pairs.jsonl > scores.jsonl',
    `echo '{"a": "why do bridges sway", "b": "Wind can set a bridge swinging."}' | bert-qe score --model T --pairs -`,
  ],
  async run({ options, io }) {
    const { model, pairs } = options;
    if (model === undefined)
      throw new BertQeError('usage', 'score needs --model MODEL, for example --model S.');
    if (pairs === undefined)
      throw new BertQeError('usage', 'score needs --pairs FILE (JSON lines {"a", "b"}).');
    const scorer = await BertScorer.load({
      model,
      device: options.device,
      precision: options.precision,
      maxLength: options['max-length'],
    });
    try {
      await writeOutput(options.out, scoredLines(scorer, pairs, io), io.stdout);
    } finally {
      await scorer.close();
    }
  },
});

/** A block is read and sent off before the one before it is waited for, so that the workers never idle. */
async function* scoredLines(scorer: BertScorer, file: string, io: Io): AsyncGenerator<string> {
  const progress = new Progress(io, 'pairs');
  let done = 0;
  let before: Promise<Logits> | undefined;
  const finish = async (block: Promise<Logits>): Promise<string> => {
    const logits = await block;
    done += logits.values.length / logits.labels;
    progress.update(done);
    return format(logits);
  };
  try {
    for await (const pairs of readPairs(file, BLOCK_PAIRS)) {
      const block = scorer.scoreLogits(pairs, { signal: io.signal });
      // Heard when it is waited for; until then a failure must not count as unhandled.
      block.catch(() => {});
      if (before) yield await finish(before);
      before = block;
    }
  } catch (error) {
    // A bad line: what came before it is scored and written all the same.
    if (before && !io.signal.aborted) yield await finish(before);
    throw error;
  } finally {
    progress.done();
  }
  if (before) yield await finish(before);
  progress.done();
  const { model, device, precision, workers, threads } = scorer.info;
  const rate = `${formatCount(done / progress.seconds)}/s`;
  io.stderr.write(
    `${formatCount(done)} ${done === 1 ? 'pair' : 'pairs'} in ${formatDuration(progress.seconds)} (${rate}) with ${model}: ` +
      `${device}, ${precision}, ${workers} × ${threads} threads\n`,
  );
}

function format(logits: Logits): string {
  const lines: string[] = [];
  probabilities(logits).forEach((score, i) => {
    const own = logits.values.subarray(i * logits.labels, (i + 1) * logits.labels);
    lines.push(`${JSON.stringify({ score: short(score), logits: Array.from(own, short) })}\n`);
  });
  return lines.join('');
}

/** The nine digits that tell any two 32-bit floats apart. */
function short(value: number): number {
  return Number(value.toPrecision(9));
}
