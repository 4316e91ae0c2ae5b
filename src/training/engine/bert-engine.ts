import { bertTensorShapes } from '../../bert/checkpoint/index.js';
import { Lazy } from '../../common/lazy.js';
import {
  headOf,
  isTable,
  publishedAdam,
  scoringGraph,
  TOKEN_GRADIENTS,
  trainingGraph,
  WORDS,
} from '../graph/index.js';
import { DropoutMasks, type MaskSource } from './dropout-masks.js';
import { Engine } from './engine.js';
import { bertFeeds, type MicroBatch, type TrainingBatch } from './micro-batch.js';
import { Muon } from './muon.js';
import { EmbeddingTable, Parameter, Table } from './parameter.js';
import { openGraph } from './session.js';
import type { EngineSettings } from './training-engine.js';

/** The engine of a BERT. */
export type BertEngine = Engine<MicroBatch | TrainingBatch>;

/** Opens the engine of a BERT with these weights, and without moments. */
export async function openBertEngine(
  { config, loss, dropout, seed, optimiser, device, threads }: EngineSettings,
  weight: (name: string) => Promise<Float32Array>,
  maskSource?: MaskSource,
): Promise<BertEngine> {
  const parameters: Parameter[] = [];
  for (const [name, shape] of bertTensorShapes(config, headOf(loss))) {
    // A copy, since training changes the values.
    const values = Float32Array.from(await weight(name));
    const Kind = loss === 'masked' && name === WORDS ? Table : EmbeddingTable;
    parameters.push(
      isTable(name) ? new Kind(name, shape, values, 1, TOKEN_GRADIENTS) : new Parameter(name, shape, values),
    );
  }
  const { graph, masks } = trainingGraph(config, loss, { dropout: dropout > 0 });
  const scoring = (withDropout: boolean) =>
    new Lazy(() => openGraph(scoringGraph(config, loss, { dropout: withDropout }), device, threads));
  return new Engine({
    parameters,
    adam: publishedAdam,
    biasCorrection: false,
    training: await openGraph(graph, device, threads),
    scoring: scoring(false),
    scoringWithDropout: dropout > 0 ? scoring(true) : undefined,
    masks: maskSource ?? new DropoutMasks(masks, dropout, seed),
    muon: optimiser === 'muon' ? await Muon.open(parameters, threads) : undefined,
    feedsOf: bertFeeds,
  });
}
