import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Methods } from '../../src/server/methods.js';
import { isPlainTei, teiRequest } from '../../src/server/schemas/index.js';
import { longestQuery } from '../../src/server/schemas/texts.js';

describe('a plain request of TEI', () => {
  const anything = fc.oneof(fc.string(), fc.constantFrom('', ' ', 1, null, undefined));
  const body = fc.oneof(
    fc.record({ query: fc.string(), texts: fc.array(fc.string()) }),
    fc.record({ query: anything, texts: fc.oneof(anything, fc.array(anything)) }),
    fc.record({ query: fc.string(), texts: fc.array(fc.string()), return_text: fc.boolean() }),
  );

  it('is one that the schema takes as it is', () => {
    fc.assert(
      fc.property(body, (body) => {
        if (isPlainTei(body)) expect(teiRequest.parse(body)).toEqual(body);
      }),
    );
    expect(isPlainTei({ query: 'q', texts: ['a', ''] })).toBe(true);
  });

  it.each([
    { query: 'q', texts: ['a'], return_text: true },
    { query: ' ', texts: ['a'] },
    { query: 'q'.repeat(longestQuery + 1), texts: ['a'] },
    { query: 'q', texts: ['a', 1] },
    { query: 'q', texts: 'a' },
  ])('is not %j: the schema says what it is', (body) => {
    expect(isPlainTei(body)).toBe(false);
  });
});

describe('the method of requests', () => {
  const methods = new Methods({ kd: 7, kc: 2 });

  it('is the same object for all that set nothing', () => {
    expect(methods.of(false, undefined)).toBe(methods.of(false, undefined));
    expect(methods.of(false, undefined)).toMatchObject({ kd: 7, kc: 2, expansion: false });
    expect(methods.of(true, undefined)).toMatchObject({ kd: 7, kc: 2, expansion: true });
  });

  it('is what a request sets, and the rest the server’s', () => {
    expect(methods.of(true, { kc: 4 })).toMatchObject({ kd: 7, kc: 4, expansion: true });
    expect(methods.of(false, { expansion: true }).expansion).toBe(false);
  });
});
