import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linearScale, logScale, tickLabels } from '../../src/common/plot/scale.js';
import { element, text } from '../../src/common/plot/svg.js';

describe('a linear axis', () => {
  test('has round ticks that enclose the values', () => {
    const scale = linearScale([0.512, 0.548], [100, 0]);
    expect(scale.ticks).toEqual([0.51, 0.52, 0.53, 0.54, 0.55]);
    expect([scale(0.51), scale(0.55)]).toEqual([100, 0]);
    expect(tickLabels(scale.ticks)).toEqual(['0.51', '0.52', '0.53', '0.54', '0.55']);
  });

  test('has room around values that are all alike, zero included', () => {
    expect(linearScale([0.3, 0.3], [0, 100])(0.3)).toBeCloseTo(50, 0);
    expect(linearScale([0], [0, 100]).ticks.length).toBeGreaterThan(1);
  });

  test('keeps every value inside, in order', () => {
    const values = fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 2, maxLength: 20 });
    fc.assert(
      fc.property(values, (some) => {
        const scale = linearScale(some, [0, 100]);
        for (const value of some) {
          expect(scale(value)).toBeGreaterThanOrEqual(-1e-6);
          expect(scale(value)).toBeLessThanOrEqual(100 + 1e-6);
        }
        expect(scale.ticks.length).toBeLessThanOrEqual(9);
        expect(new Set(tickLabels(scale.ticks)).size).toBe(scale.ticks.length);
      }),
    );
  });
});

test('a logarithmic axis spaces equal ratios equally', () => {
  const scale = logScale([0.1, 10], [0, 100]);
  expect(scale(1) - scale(0.1)).toBeCloseTo(scale(10) - scale(1));
  expect(scale.ticks).toEqual([0.1, 0.2, 0.5, 1, 2, 5, 10]);
});

test('an SVG element escapes texts and attributes', () => {
  expect(text('a < "b" & c', { x: 1.23456 })).toBe('<text x="1.23">a &#60; &#34;b&#34; &#38; c</text>');
  expect(element('g', { class: '"', id: undefined })).toBe('<g class="&#34;"/>');
});
