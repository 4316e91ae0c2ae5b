import {
  countOf,
  encoderFlops,
  loadTokenizer,
  type ModelConfig,
  readModelConfig,
  type Tokenizer,
} from '../../bert/index.js';
import { refuseUnknownOptions } from '../../common/known-options.js';
import type { RankedInput } from '../../expansion/index.js';
import { type FeedBatch, portions } from '../../training/network/index.js';
import { readDescription } from '../folder.js';
import {
  type ControlLoadOptions,
  type ControlOptions,
  LOAD_OPTIONS,
  NetworkReranker,
  type PreparedQuery,
  type TrainedNetwork,
  withNetwork,
} from '../reranker.js';
import { cedrBatch, type CedrLengths, type TokenPair, tokenPair } from './batches.js';
import { cedrShapes, scoringGraph } from './graph.js';

/** The fields of a model's `config.json` besides the configuration of BERT. */
interface CedrDescription {
  readonly lengths: CedrLengths;
}

/** Options of {@link Cedr.load}. */
export type CedrLoadOptions = ControlLoadOptions;

/**
 * CEDR-KNRM (MacAvaney et al., 2019), a system that the paper compares with: kernels over the cosines of query and
 * document tokens in every layer of BERT, joined with [CLS].
 */
export class Cedr extends NetworkReranker {
  private constructor(
    network: TrainedNetwork,
    private readonly tokenizer: Tokenizer,
    private readonly encoder: ModelConfig,
    private readonly lengths: CedrLengths,
    options: ControlOptions,
  ) {
    super('CEDR-KNRM', network, options);
  }

  /**
   * Loads a model that `bert-qe train --method cedr-knrm` made.
   *
   * @example
   * const cedr = await Cedr.load({ model: 'cedr-notes' });
   * const { results } = await cedr.rerank('why do bridges sway', texts, { topK: 10 });
   */
  static async load(options: CedrLoadOptions): Promise<Cedr> {
    refuseUnknownOptions('Cedr.load', options, LOAD_OPTIONS, "{ model: 'folder' }");
    const { model } = options;
    const { lengths } = await readDescription<CedrDescription>(model, 'cedr-knrm');
    const encoder = await readModelConfig(model);
    const tokenizer = await loadTokenizer(model);
    return withNetwork(
      options,
      cedrShapes(encoder),
      scoringGraph(encoder),
      (network) => new Cedr(network, tokenizer, encoder, lengths, options),
    );
  }

  protected prepare(query: string, candidates: readonly RankedInput[]): PreparedQuery {
    const { lengths, encoder } = this;
    const first = this.tokenizer.encode(query).subarray(0, lengths.queryTokens);
    const pairs = candidates.map(({ document }) =>
      tokenPair(this.tokenizer, first, documentTokens(this.tokenizer, document, lengths), lengths),
    );
    const { batches, places } = batchesOf(this.tokenizer, pairs);
    return {
      batches,
      scoresOf: (outputs) => {
        const scores = new Float32Array(outputs.length);
        outputs.forEach((score, i) => (scores[places[i]] = score));
        return scores;
      },
      tokens: pairs.reduce((sum, { tokens }) => sum + tokens, 0),
      flops: pairs.reduce((sum, pair) => sum + cedrFlops(encoder, pair), 0),
    };
  }
}

/** The tokens of a document: its title, then its text. */
export function documentTokens(
  tokenizer: Tokenizer,
  { title = '', text }: { readonly title?: string | undefined; readonly text: string },
  lengths: CedrLengths,
): Int32Array {
  const whole = title.trim() === '' ? text : `${title} ${text}`;
  return tokenizer.encode(whole, lengths.documentTokens).subarray(0, lengths.documentTokens);
}

/** The most tokens of a batch, padding included. */
const batchTokens = 4096;

/** The batches that score pairs, of pairs of similar length. */
export function batchesOf(
  tokenizer: Tokenizer,
  pairs: readonly TokenPair[],
): { readonly batches: FeedBatch[]; readonly places: number[] } {
  const order = pairs.map((_, place) => place).sort((a, b) => pairs[b].longest - pairs[a].longest || a - b);
  const parts = portions(
    order.map((place) => pairs[place]),
    ({ pieces }) => pieces.length,
    ({ longest }) => batchTokens / longest,
  );
  return { batches: parts.map((some) => cedrBatch(tokenizer, some)), places: order };
}

/** FLOPs of a pair: BERT, and the cosines of every layer. */
function cedrFlops(encoder: ModelConfig, { query, pieces, length, tokens }: TokenPair): number {
  const special = tokens / pieces.length - length / pieces.length;
  const count = countOf(pieces.map((piece) => piece.length + special));
  const cosines = (encoder.layers + 1) * 2 * encoder.hidden * query.length * length;
  return encoderFlops(encoder, count) + cosines;
}
