import { GRAPH_IDS, GRAPH_PLACES, GRAPH_SLOTS, GRAPH_STARTS } from '../graph/names.js';
import type { Feeds, FeedsOf } from './feeds.js';
import { packedInputs } from './packed-inputs.js';

/** Feeds of packedGraph. */
export const packedFeeds: FeedsOf = ({ model, secondSegment }, _, Tensor): Feeds => {
  const secondSlots = secondSegment * model.maxPositions;
  return (ids, splits, length, ends = new Int32Array(splits.length).fill(length)) => {
    const { slots, starts, places, longest } = packedInputs(splits, ends, secondSlots);
    return {
      [GRAPH_IDS]: new Tensor('int32', ids, [ids.length]),
      [GRAPH_SLOTS]: new Tensor('int32', slots, [slots.length]),
      [GRAPH_STARTS]: new Tensor('int32', starts, [starts.length]),
      [GRAPH_PLACES]: new Tensor('int32', places, [splits.length, longest]),
    };
  };
};
