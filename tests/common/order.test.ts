import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareUtf8 } from '../../src/common/order.js';

it('orders strings as strcmp orders their UTF-8 bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      expect(Math.sign(compareUtf8(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
    { numRuns: 200 },
  );
  // The pair that UTF-16 order gets wrong.
  expect(compareUtf8('\ufa00', '\u{1f600}')).toBeLessThan(0);
});
