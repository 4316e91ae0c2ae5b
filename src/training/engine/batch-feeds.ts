import { Tensor } from 'onnxruntime-node';
import { IDS, PADDING, SEGMENTS } from '../graph/index.js';
import type { PaddedBatch } from './micro-batch.js';

/** The inputs of the graphs. */
export function batchFeeds({ batch, sequence, ids, segments, padding }: PaddedBatch): Record<string, Tensor> {
  return {
    [IDS]: new Tensor('int32', ids, [batch, sequence]),
    [SEGMENTS]: new Tensor('int32', segments, [batch, sequence]),
    [PADDING]: new Tensor('float32', padding, [batch, 1, 1, sequence]),
  };
}
