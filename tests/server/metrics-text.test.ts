import { describe, expect, it } from 'vitest';
import { Counter, exposition, Histogram } from '../../src/server/metrics/registry.js';

describe('metrics', () => {
  it('are written as Prometheus reads them: labels escaped, buckets summed up', () => {
    const counter = new Counter('c_total', 'Counts\nthings.');
    counter.add({ path: 'a"b\\c\n' }, 2);
    const histogram = new Histogram('h', 'Sizes.', [1, 2]);
    for (const value of [0.5, 1, 1.5, 7]) histogram.observe(value);
    expect(exposition([counter, histogram])).toBe(
      [
        '# HELP c_total Counts\\nthings.',
        '# TYPE c_total counter',
        'c_total{path="a\\"b\\\\c\\n"} 2',
        '# HELP h Sizes.',
        '# TYPE h histogram',
        'h_bucket{le="1"} 2',
        'h_bucket{le="2"} 3',
        'h_bucket{le="+Inf"} 4',
        'h_sum 10',
        'h_count 4',
        '',
      ].join('\n'),
    );
  });
});
