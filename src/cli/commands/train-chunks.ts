import { BertQeError } from '../../common/errors.js';
import { DEFAULTS } from '../../expansion/index.js';
import type { PhaseThreeInputs } from '../../training/index.js';
import type { OptionValues } from '../options.js';

/** Without defaults of their own: what is given without `--on chunks` is a mistake. */
const ofChunks = {
  phase1: { type: 'string', value: 'MODEL', help: "on chunks: phase one's model (S)" },
  phase2: { type: 'string', value: 'MODEL', help: "on chunks: phase two's model (phase one's)" },
  kd: { type: 'integer', min: 1, help: `on chunks: feedback documents (${DEFAULTS.kd})` },
  kc: { type: 'integer', min: 1, help: `on chunks: chunks of a query (${DEFAULTS.kc})` },
  'chunk-words': { type: 'integer', min: 1, help: `on chunks: words of a chunk (${DEFAULTS.chunkWords})` },
  alpha: {
    type: 'number',
    min: 0,
    max: 1,
    help: `on chunks: α by which validation queries are ranked (${DEFAULTS.alpha})`,
  },
  beta: {
    type: 'number',
    min: 0,
    max: 1,
    help: `on chunks: β by which validation queries are ranked (${DEFAULTS.beta})`,
  },
} as const;

/** What the model learns to compare with passages, and how chunks are chosen. */
export const chunkOptions = {
  on: {
    type: 'string',
    choices: ['queries', 'chunks'],
    default: 'queries',
    help: 'queries against passages, or (for phase three) the chunks that phases one and two choose',
  },
  ...ofChunks,
} as const;

/** Phases one and two as the options have them; nothing where queries are trained on. */
export function phaseThreeOf(
  options: OptionValues<typeof chunkOptions> & {
    readonly depth: number;
    readonly 'validation-depth': number | undefined;
  },
): PhaseThreeInputs | undefined {
  if (options.on === 'queries') {
    const stray = Object.keys(ofChunks).find((name) => options[name as keyof typeof ofChunks] !== undefined);
    if (stray === undefined) return undefined;
    throw new BertQeError('usage', `--${stray} has no effect without --on chunks.`);
  }
  if (options['validation-depth'] !== undefined) {
    throw new BertQeError(
      'usage',
      '--validation-depth has no effect with --on chunks: --depth documents of every query are re-ranked.',
    );
  }
  const phaseOne = options.phase1 ?? 'S';
  return {
    phaseOne,
    phaseTwo: options.phase2 ?? phaseOne,
    kd: options.kd ?? DEFAULTS.kd,
    kc: options.kc ?? DEFAULTS.kc,
    chunkWords: options['chunk-words'] ?? DEFAULTS.chunkWords,
    depth: options.depth,
    combination: { alpha: options.alpha ?? DEFAULTS.alpha, beta: options.beta ?? DEFAULTS.beta },
  };
}
