import type { TextPair } from '../bert/core.js';
import { getOrInsert } from '../common/get-or-insert.js';
import { TimeSlice } from '../common/yield.js';

/**
 * Pairs as a message: every text once, and for each pair the places of its two texts. Browsers copy a text as often as
 * it occurs, and a passage occurs once for every chunk: that would hold the page up for tens of milliseconds.
 */
export interface PackedPairs {
  readonly texts: readonly string[];
  readonly places: Uint32Array<ArrayBuffer>;
}

/** Pairs between two checks of the clock. */
const PAIRS_PER_CHECK = 256;

/** Packs pairs in slices of time. */
export async function packPairs(pairs: readonly TextPair[]): Promise<PackedPairs> {
  const slice = new TimeSlice();
  const placeOf = new Map<string, number>();
  const texts: string[] = [];
  const places = new Uint32Array(2 * pairs.length);
  const place = (text: string): number => getOrInsert(placeOf, text, () => texts.push(text) - 1);
  for (const [i, { a, b }] of pairs.entries()) {
    if (i % PAIRS_PER_CHECK === 0 && slice.isOver) await slice.yield();
    places[2 * i] = place(a);
    places[2 * i + 1] = place(b);
  }
  return { texts, places };
}

export function unpackPairs({ texts, places }: PackedPairs): TextPair[] {
  return Array.from({ length: places.length / 2 }, (_, i) => ({
    a: texts[places[2 * i]],
    b: texts[places[2 * i + 1]],
  }));
}
