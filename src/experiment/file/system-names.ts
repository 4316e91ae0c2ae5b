import { sizeLetters, type SizeLetter } from '../../bert/index.js';
import {
  Bm25,
  Bo1,
  DivergenceFeedback,
  Dph,
  KL,
  QueryLikelihood,
  Rm3,
  type FeedbackModel,
  type WeightingModel,
} from '../../retrieval/index.js';

/** A retrieval model with the published parameters, by its name in tables: `DPH`, `DPH+KL`, `BM25+RM3`, … */
export interface FirstStage {
  readonly name: string;
  /** The text analysis of its authors: Terrier for DPH, Anserini for BM25 and QL. */
  readonly analyzer: 'terrier' | 'anserini';
  makeModel(): WeightingModel;
  makeFeedback(): FeedbackModel | undefined;
}

const weightings = {
  dph: { name: 'DPH', analyzer: 'terrier', makeModel: () => new Dph() },
  bm25: { name: 'BM25', analyzer: 'anserini', makeModel: () => new Bm25() },
  ql: { name: 'QL', analyzer: 'anserini', makeModel: () => new QueryLikelihood() },
} as const;

const feedbacks = {
  kl: { name: 'KL', makeFeedback: () => new DivergenceFeedback(KL) },
  bo1: { name: 'Bo1', makeFeedback: () => new DivergenceFeedback(Bo1) },
  rm3: { name: 'RM3', makeFeedback: () => new Rm3() },
} as const;

/** The first stage of this name, if there is one. */
export function parseFirstStage(text: string): FirstStage | undefined {
  const match = /^(dph|bm25|ql)(?:\+(kl|bo1|rm3))?$/i.exec(text.trim());
  if (!match) return undefined;
  const weighting = weightings[match[1].toLowerCase() as keyof typeof weightings];
  if (match[2] === undefined) return { ...weighting, makeFeedback: () => undefined };
  const feedback = feedbacks[match[2].toLowerCase() as keyof typeof feedbacks];
  return { ...weighting, ...feedback, name: `${weighting.name}+${feedback.name}` };
}

/** A system that the paper compares with, by its name in tables: `Birch-S`, `CEDR-KNRM-S`, `NPRF-DRMM`, `SNRM+PRF`. */
export interface ControlName {
  readonly name: string;
  readonly control: ControlKind;
  /** The size of the cross-encoder that it uses or starts from; NPRF-DRMM and SNRM have none. */
  readonly size?: SizeLetter;
}

const withSizes = ['Birch', 'CEDR-KNRM'] as const;
const withoutSizes = ['NPRF-DRMM', 'SNRM', 'SNRM+PRF'] as const;

export type ControlKind = (typeof withSizes | typeof withoutSizes)[number];

/** The control of this name, if there is one. */
export function parseControl(text: string): ControlName | undefined {
  const wanted = text.toLowerCase();
  const sizeless = withoutSizes.find((each) => each.toLowerCase() === wanted);
  if (sizeless !== undefined) return { name: sizeless, control: sizeless };
  for (const control of withSizes) {
    const size = sizeLetters.find((letter) => wanted === `${control}-${letter}`.toLowerCase());
    if (size !== undefined) return { name: `${control}-${size}`, control, size };
  }
  return undefined;
}
