import { parseVariant } from '../expansion/index.js';
import type { RerankerConfig } from '../runs/index.js';
import { methodOptions, modelOptions } from './option-table.js';
import { pick, refuseUseless, valuesOf, type OptionValues } from './options.js';

/** The re-ranker that the options name, and its name: BERT-QE-SST, or BERT-QE where models are named one by one. */
export function rerankerConfig(options: OptionValues<typeof modelOptions & typeof methodOptions>): {
  config: RerankerConfig;
  name: string;
} {
  const { phaseOne, expansion, name } = parseVariant(options.models);
  const { phase1, phase2, phase3, bestPassage, device, precision } = options;
  if (!expansion) {
    const why = `with --models ${options.models}, which is MaxP; give --models three letters.`;
    refuseUseless(pick(modelOptions, 'phase2', 'phase3'), options, why);
  }
  const one = phase1 ?? phaseOne;
  const isNamed = (phase1 ?? phase2 ?? phase3) !== undefined;
  return {
    name: isNamed ? (expansion ? 'BERT-QE' : 'BERT-MaxP') : name,
    config: {
      models: {
        ...(bestPassage !== undefined && { bestPassage }),
        phaseOne: one,
        phaseTwo: phase2 ?? expansion?.phaseTwo ?? one,
        phaseThree: phase3 ?? expansion?.phaseThree ?? one,
      },
      expansion: expansion !== undefined,
      device,
      precision,
      ...valuesOf(methodOptions, options),
    },
  };
}
