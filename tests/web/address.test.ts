import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyAddress, readAddress, writeAddress, type Address } from '../../web/src/model/address.js';

const text = fc.string({ minLength: 1 }).map((value) => value.toWellFormed());
const share = fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100);

const anyAddress: fc.Arbitrary<Address> = fc.record(
  {
    view: fc.constantFrom('search' as const, 'experiments' as const),
    query: text,
    source: fc.constantFrom('index' as const, 'pasted' as const),
    model: text,
    depth: fc.integer({ min: 1, max: 10_000 }),
    alpha: share,
    beta: share,
    document: text,
    experiment: text,
  },
  { requiredKeys: ['view', 'query', 'source'] },
);

describe('the address', () => {
  it('brings back what it was written from', () => {
    fc.assert(
      fc.property(anyAddress, (address) => {
        expect(readAddress(writeAddress(address))).toEqual(address);
      }),
    );
  });

  it('of the bare page is empty', () => {
    expect(writeAddress(emptyAddress)).toBe('.');
    expect(readAddress('')).toEqual(emptyAddress);
  });

  it('leaves out what makes no sense', () => {
    expect(readAddress('?q=bees&alpha=7&beta=x&depth=1.5&view=none&source=web')).toEqual({
      ...emptyAddress,
      query: 'bees',
    });
  });
});
