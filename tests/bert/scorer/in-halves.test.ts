import { describe, expect, it } from 'vitest';
import { inHalvesWhereFull } from '../../../src/bert/scorer/packed-batches.js';
import type { RunBatch } from '../../../src/bert/scorer/session.js';

const FULL = 'CUDA failure 2: out of memory ; GPU=0';

/** A card with memory for so many tokens; a sequence's logit is the sum of its ids. */
function card(tokens: number, message = FULL): { run: RunBatch; sizes: number[] } {
  const sizes: number[] = [];
  const run: RunBatch = async (ids, splits, _length, ends) => {
    sizes.push(ids.length);
    if (ids.length > tokens) throw new Error(message);
    let at = 0;
    return Float32Array.from(splits, (_, row) => {
      const own = ids.subarray(at, (at += ends![row]));
      return own.reduce((sum, id) => sum + id, 0);
    });
  };
  return { run: inHalvesWhereFull(run), sizes };
}

const ends = Int32Array.of(4, 3, 2, 2, 1);
const ids = Int32Array.from({ length: 12 }, (_, i) => i);
const splits = Int32Array.of(1, 1, 1, 1, 1);

describe('a batch for which a card has no memory', () => {
  it('is run in halves, and in quarters where they are too much', async () => {
    const { run, sizes } = card(5);
    expect([...(await run(ids, splits, 4, ends))]).toEqual([6, 15, 15, 19, 11]);
    expect(sizes).toEqual([12, 7, 4, 3, 5]);
  });

  it('fails with one sentence where a single sequence is too much', async () => {
    await expect(card(3).run(ids, splits, 4, ends)).rejects.toThrow(
      'The memory of the card does not hold a sequence of 4 tokens.',
    );
  });

  it('is not tried again for other reasons', async () => {
    const { run, sizes } = card(5, 'the input has another shape');
    await expect(run(ids, splits, 4, ends)).rejects.toThrow('the input has another shape');
    expect(sizes).toEqual([12]);
  });

  it('is not tried again on a card that fell away, and says so in one sentence', async () => {
    const message =
      'Non-zero status code returned while running Gemm node. Name:"Gemm_3" Status Message: CUBLAS failure 14: ' +
      'CUBLAS_STATUS_INTERNAL_ERROR ; GPU=0 ; hostname=node ; file=/src/gemm.cc ; line=72 ; expr=cublasGemm\n stack';
    const { run, sizes } = card(5, message);
    await expect(run(ids, splits, 4, ends)).rejects.toThrow(
      /^The card failed \(CUBLAS failure 14: CUBLAS_STATUS_INTERNAL_ERROR\)\. See nvidia-smi, and start this process again\.$/,
    );
    expect(sizes).toEqual([12]);
  });
});
