import { yieldToEventLoop } from '../../common/yield.js';
import type { TextPair, Meter } from '../../bert/index.js';

/** Longest stretch of counting before sockets get their turn, in milliseconds. */
const sliceMs = 4;

/** How often the clock is looked at. */
const pairsPerLook = 16;

/** Tokens of every pair. To count is to tokenise: of few pairs at once, of many with pauses for everybody else. */
export function measure(meter: Meter, pairs: readonly TextPair[]): Uint32Array | Promise<Uint32Array> {
  const lengths = new Uint32Array(pairs.length);
  const from = slice(meter, pairs, lengths, 0);
  return from === pairs.length ? lengths : measureRest(meter, pairs, lengths, from);
}

async function measureRest(
  meter: Meter,
  pairs: readonly TextPair[],
  lengths: Uint32Array,
  first: number,
): Promise<Uint32Array> {
  for (let from = first; from < pairs.length;) {
    await yieldToEventLoop();
    from = slice(meter, pairs, lengths, from);
  }
  return lengths;
}

/** Counts until the slice is over; returns where to go on. */
function slice(meter: Meter, pairs: readonly TextPair[], lengths: Uint32Array, from: number): number {
  const started = performance.now();
  for (let i = from; i < pairs.length; i++) {
    lengths[i] = meter.lengthOf(pairs[i]);
    if ((i + 1) % pairsPerLook === 0 && performance.now() - started > sliceMs) return i + 1;
  }
  return pairs.length;
}
