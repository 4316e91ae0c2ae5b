import { Tensor } from 'onnxruntime-node';
import { loadSession } from '../runtime/index.js';
import { inHalvesWhereFull, packedFeeds } from './packed-batches.js';
import type { WorkerSetup } from './messages.js';
import { scoringSession, type ScoringSession } from './session.js';

/** Loads a model with onnxruntime-node. */
export async function openSession(setup: WorkerSetup): Promise<ScoringSession> {
  const { model, device, threads, card = 0 } = setup;
  const session = await loadSession(model.path, device, threads, { ...model, card });
  const packed = { feeds: packedFeeds, guarded: inHalvesWhereFull };
  return scoringSession(session, setup, Tensor, model.batches === 'packed' ? packed : undefined);
}
