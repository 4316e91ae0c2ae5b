import { closing } from '../../common/closing.js';
import { usageError } from '../../common/errors.js';
import { BertScorer, type Logits, probabilities } from '../../bert/index.js';
import { standardStream, writeOutput } from '../../common/output.js';
import { defineCommand, type Io } from '../command.js';
import { counted, formatCount, formatDuration } from '../format.js';
import { OPTIONS } from '../option-table.js';
import { readPairs } from '../pairs.js';
import { Progress } from '../progress.js';
import { text, pick } from '../options.js';

/** Pairs that are scored together. Two such blocks are in memory, however long the file is. */
const BLOCK_PAIRS = 2048;

export const scoreCommand = defineCommand({
  name: 'score',
  summary: 'Score pairs of texts with a cross-encoder: JSON lines in, JSON lines out, in order.',
  options: {
    model: text('MODEL', 'by letter (T, S, M, B, L), name or path'),
    pairs: text('FILE', '{"a": …, "b": …} a line, .gz too; - is stdin'),
    ...pick(OPTIONS, 'device', 'precision', 'max-length'),
    out: text('FILE', 'where to write; - is stdout', { default: standardStream }),
  },
  examples: [
    'bert-qe score --model S --pairs pairs.jsonl > scores.jsonl',
    `echo '{"a": "why do bridges sway", "b": "Wind can set a bridge swinging."}' | bert-qe score --model T --pairs -`,
  ],
  async run({ options, io }) {
    const { model, pairs, device, precision, maxLength } = options;
    if (model === undefined) throw usageError('score needs --model MODEL, for example --model S.');
    if (pairs === undefined) throw usageError('score needs --pairs FILE (JSON lines {"a", "b"}).');
    await closing(BertScorer.load({ model, device, precision, maxLength }), (scorer) =>
      writeOutput(options.out, scoredLines(scorer, pairs, io), io.stdout),
    );
  },
});

/** The scores as JSON lines. A block is sent before the one before it is awaited, so that the workers never idle. */
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
      // A failure is thrown where the block is awaited; until then it must not count as unhandled.
      block.catch(() => {});
      if (before) yield await finish(before);
      before = block;
    }
  } catch (error) {
    // The pairs before a bad line are scored and written.
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
    `${counted(done, 'pair')} in ${formatDuration(progress.seconds)} (${rate}) with ${model}: ` +
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

/** A number with nine digits, which distinguish any two 32-bit floats. */
function short(value: number): number {
  return Number(value.toPrecision(9));
}
