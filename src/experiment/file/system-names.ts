import { sizeLetters, type SizeLetter } from '../../bert/index.js';
import {
  Bm25,
  Bo1,
  DivergenceFeedback,
  Dph,
  KL,
  QueryLikelihood,
  Rm3,
  type SearcherOptions,
} from '../../retrieval/index.js';

/** Retrieval models with the published parameters, by their name in tables: `DPH`, `DPH+KL`, `BM25+RM3`, … */
export interface FirstStage {
  readonly name: string;
  /** The text analysis of its authors: Terrier for DPH, Anserini for BM25 and QL. */
  readonly analyzer: 'terrier' | 'anserini';
  readonly models: SearcherOptions;
}

const weightings = {
  dph: { model: new Dph(), analyzer: 'terrier' },
  bm25: { model: new Bm25(), analyzer: 'anserini' },
  ql: { model: new QueryLikelihood(), analyzer: 'anserini' },
} as const;

const feedbacks = { kl: new DivergenceFeedback(KL), bo1: new DivergenceFeedback(Bo1), rm3: new Rm3() };

/** The first stage of this name, if there is one. */
export function parseFirstStage(text: string): FirstStage | undefined {
  const match = /^(dph|bm25|ql)(?:\+(kl|bo1|rm3))?$/.exec(text.trim().toLowerCase());
  if (!match) return undefined;
  const { model, analyzer } = weightings[match[1] as keyof typeof weightings];
  if (match[2] === undefined) return { name: model.name, analyzer, models: { model } };
  const feedback = feedbacks[match[2] as keyof typeof feedbacks];
  return { name: `${model.name}+${feedback.name}`, analyzer, models: { model, feedback } };
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
