import { expect, test } from 'vitest';
import { z } from 'zod';
import { misspeltField } from '../../src/common/schema-problems.js';

const schema = z.object({
  query: z.string(),
  top_n: z
    .int()
    .nullish()
    .transform((value) => value ?? undefined),
  method: z.strictObject({ alpha: z.number() }).optional(),
});

test.each([
  [{ qery: 'a' }, 'qery: there is no such field; did you mean query?'],
  [{ query: 'a', topN: 1 }, 'topN: there is no such field; did you mean top_n?'],
  [{ query: 'a', method: { alfa: 1 } }, 'method.alfa: there is no such field; did you mean alpha?'],
])('%o is refused', (value, message) => {
  expect(misspeltField(schema, value)).toBe(message);
});

test.each([
  [{ query: 'a', top_n: 1, method: { alpha: 1 } }],
  // Nearly the name of a field that is there too, or of none: another service's own.
  [{ query: 'a', querys: 1 }],
  [{ query: 'a', client_name: 'x', user: 'y' }],
  ['text'],
  [null],
])('%o is left to the schema', (value) => {
  expect(misspeltField(schema, value)).toBeUndefined();
});

test('however many fields there are and however long their names, the work is bounded', () => {
  const many = Object.fromEntries(
    Array.from({ length: 200_000 }, (_, i) => [`qeury${i}`.padStart(30, 'x'), 1]),
  );
  expect(misspeltField(schema, many)).toBeUndefined();
  expect(misspeltField(schema, { ['q'.repeat(1_000_000)]: 1 })).toBeUndefined();
});
