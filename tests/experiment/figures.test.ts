import { expect, test } from 'vitest';
import { gainFigure } from '../../src/experiment/figures/gain-figure.js';

test('a gain figure counts queries that got better, worse and neither', () => {
  const gains = [0.2, 0, -0.1, 0.05].map((gain, i) => ({ query: String(i), gain }));
  const svg = gainFigure({ system: 'A', baseline: 'B', measure: 'nDCG@20', byQuery: gains });
  expect(svg).toContain('2 better, 1 worse, 1 equal');
  // Two bars up, one down.
  expect(svg.match(/class="fill0"/g)).toHaveLength(1);
  expect(/d="((?:M[^"Z]*Z)+)" class="fill0"/.exec(svg)![1].match(/M/g)).toHaveLength(2);
});
