import { describe, expect, it } from 'vitest';
import { cutToPassages, textOf } from '../../src/server/rerank/documents.js';

describe('documents of requests', () => {
  it('are texts, objects with a text, or their fields', () => {
    expect(textOf('a', 0, undefined)).toBe('a');
    expect(textOf({ text: 'a', title: 't' }, 0, undefined)).toBe('a');
    expect(textOf({ text: 'a', title: 't' }, 0, ['title'])).toBe('t');
    expect(textOf({ a: 'x', b: 7 }, 0, undefined)).toBe('a: x\nb: 7');
    expect(() => textOf({ a: 'x' }, 3, ['b'])).toThrow('documents[3] has none of the fields b');
  });

  it('are cut after so many passages', () => {
    const text = Array.from({ length: 30 }, (_, i) => String(i)).join(' ');
    expect(cutToPassages(text, 2, { length: 10, overlap: 5 }).split(' ')).toHaveLength(15);
    expect(cutToPassages(text, 9, { length: 10, overlap: 5 })).toBe(text);
  });
});
