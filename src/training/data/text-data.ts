import type { Tokenizer } from '../../bert/index.js';
import { inputError } from '../../common/errors.js';
import { Random } from '../random.js';
import type { TrainingSettings } from '../settings.js';
import type { TextPieces } from '../text.js';
import { type Sequence, sequenceOf, targetBatches } from './sequences.js';
import { stepsOf, type TrainingData, type ValidationBatches } from './training-data.js';

/** The number of texts to learn from, and of their word pieces. */
export interface TextCounts {
  readonly texts: number;
  readonly pieces: number;
}

type Settings = Pick<TrainingSettings, 'batch' | 'maxLength' | 'maskedShare' | 'batchTokens' | 'seed'>;

/** A masked token is shown as `[MASK]`, as another token, or as itself. */
const SHOWN_AS_MASK = 0.8;
const SHOWN_AS_OTHER = 0.1;

/** Pieces of a short first segment, which half of the sequences have: the length of a query. */
const SHORT = [4, 25] as const;

/** The data of masked-language training: random stretches of text, some of whose tokens are masked. */
export function textData(
  text: TextPieces,
  tokenizer: Tokenizer,
  settings: Settings,
): TrainingData<TextCounts> {
  const mask = new Masking(tokenizer, settings);
  const { pieces } = text;
  const room = roomIn(text, tokenizer, settings);
  const batchesOf = (step: number): ValidationBatches => {
    const random = new Random('text', settings.seed, step);
    const sequences = Array.from({ length: settings.batch }, () => {
      const start = random.below(pieces.length - room + 1);
      return mask.sequence(pieces.subarray(start, start + room), random);
    });
    return maskedBatches(sequences, settings);
  };
  return {
    groups: Math.max(1, Math.floor(pieces.length / room)),
    examplesPerStep: settings.batch,
    counts: { texts: text.texts, pieces: pieces.length },
    stepsIn: (epochs) => Math.max(1, Math.floor((epochs * pieces.length) / (room * settings.batch))),
    steps: stepsOf(batchesOf),
  };
}

/** The batches of a validation text: the whole of it, one stretch after the other, with the same tokens masked every time. */
export function textValidation(
  text: TextPieces,
  tokenizer: Tokenizer,
  settings: Settings,
): ValidationBatches {
  const mask = new Masking(tokenizer, settings);
  const { pieces } = text;
  const room = roomIn(text, tokenizer, settings);
  const sequences = Array.from({ length: Math.floor(pieces.length / room) }, (_, i) => {
    const random = new Random('validation text', settings.seed, i);
    return mask.sequence(pieces.subarray(i * room, (i + 1) * room), random);
  });
  return maskedBatches(sequences, settings);
}

/** The pieces of a sequence besides the special tokens. */
function roomIn({ label, pieces }: TextPieces, { template }: Tokenizer, { maxLength }: Settings): number {
  const { before, between, after } = template;
  const room = maxLength - before.length - between.length - after.length;
  if (pieces.length >= room) return room;
  throw inputError(
    `${label}: its text has ${pieces.length} word pieces, fewer than a sequence of ${maxLength} tokens; give more text, ` +
      'or shorter sequences (maxLength).',
  );
}

/** Micro-batches of sequences; all masked tokens have the same weight. */
function maskedBatches(sequences: readonly Sequence[], { batchTokens }: Settings): ValidationBatches {
  const masked = sequences.reduce((sum, { wanted }) => sum + wanted!.filter((id) => id >= 0).length, 0);
  const weights = sequences.map(() => [1 / masked]);
  return { batches: targetBatches(sequences, weights, batchTokens), least: 0 };
}

/** Makes sequences of two segments of text, some of whose tokens are masked. */
class Masking {
  readonly #mask: number;
  readonly #special: ReadonlySet<number>;

  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly settings: Settings,
  ) {
    const mask = tokenizer.encode('[MASK]');
    if (mask.length !== 1) {
      throw inputError('The vocabulary has no [MASK], which stands for masked tokens; add it.');
    }
    const { before, between, after, pad } = tokenizer.template;
    [this.#mask] = mask;
    this.#special = new Set([...before, ...between, ...after, pad, this.#mask]);
  }

  /** A stretch of text as the sequence of a first and a second segment, as pairs have them. */
  sequence(stretch: Uint16Array | Int32Array, random: Random): Sequence {
    const { template } = this.tokenizer;
    const most = stretch.length - 1;
    const short = Math.min(most, SHORT[0] + random.below(SHORT[1] - SHORT[0] + 1));
    const cut = random.unit() < 0.5 ? short : 1 + random.below(most);
    const [first, second] = [stretch.subarray(0, cut), stretch.subarray(cut)].map((part) =>
      Int32Array.from(part),
    );
    const { ids, split } = sequenceOf(template, first, second);
    const start = template.before.length;
    const next = start + cut + template.between.length;
    const wanted = new Int32Array(ids.length).fill(-1);
    const count = Math.max(1, Math.round(this.settings.maskedShare * stretch.length));
    for (const place of random.sample(Array.from(stretch.keys()), count)) {
      const token = place < cut ? start + place : next + place - cut;
      wanted[token] = ids[token];
      ids[token] = this.#shown(ids[token], random);
    }
    return { ids, split, wanted };
  }

  #shown(id: number, random: Random): number {
    const fate = random.unit();
    if (fate < SHOWN_AS_MASK) return this.#mask;
    if (fate >= SHOWN_AS_MASK + SHOWN_AS_OTHER) return id;
    for (;;) {
      const other = random.below(this.tokenizer.vocabularySize);
      if (!this.#special.has(other)) return other;
    }
  }
}
