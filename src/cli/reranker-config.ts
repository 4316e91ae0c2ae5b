import { parseVariant } from '../expansion/index.js';
import type { RerankerConfig } from '../runs/index.js';
import type { methodOptions, modelOptions } from './option-table.js';
import { usageError, type OptionValues } from './options.js';

/** The re-ranker that the options name, and its name: BERT-QE-SST, or BERT-QE where models are named one by one. */
export function rerankerConfig(options: OptionValues<typeof modelOptions & typeof methodOptions>): {
  config: RerankerConfig;
  name: string;
} {
  const { phaseOne, expansion, name } = parseVariant(options.models);
  const { phase1, phase2, phase3, 'best-passage': bestPassage } = options;
  for (const phase of ['phase2', 'phase3'] as const) {
    if (!expansion && options[phase] !== undefined) {
      throw usageError(
        `--${phase} has no effect with --models ${options.models}, which is MaxP; give --models three letters.`,
      );
    }
  }
  const one = phase1 ?? phaseOne;
  const isNamed = (phase1 ?? phase2 ?? phase3) !== undefined;
  return {
    name: isNamed ? (expansion ? 'BERT-QE' : 'BERT-MaxP') : name,
    config: {
      models: {
        bestPassage: bestPassage ?? one,
        phaseOne: one,
        phaseTwo: phase2 ?? expansion?.phaseTwo ?? one,
        phaseThree: phase3 ?? expansion?.phaseThree ?? one,
      },
      expansion: expansion !== undefined,
      device: options.device,
      precision: options.precision,
      alpha: options.alpha,
      beta: options.beta,
      kd: options.kd,
      kc: options.kc,
      chunkWords: options['chunk-words'],
      passageWords: options['passage-words'],
      titleWords: options['title-words'],
      chunkSource: options['chunk-source'],
      dropQueryScore: options['drop-query-score'],
      depth: options.depth,
    },
  };
}
