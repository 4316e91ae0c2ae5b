import { describe, expect, test } from 'vitest';
import { toCsv } from '../../src/experiment/tables/csv.js';
import { toJson } from '../../src/experiment/tables/json.js';
import { toLatex } from '../../src/experiment/tables/latex.js';
import { toMarkdown } from '../../src/experiment/tables/markdown.js';
import { markBest, noValue, type Table } from '../../src/experiment/tables/table.js';

const table: Table = {
  id: 'main',
  title: 'Effectiveness & more',
  columns: ['Model', 'nDCG@20', 'nDCG@20 (published)'],
  groups: markBest(
    [
      [{ label: 'DPH+KL', cells: [{ text: '0.4397', value: 0.43971 }, noValue] }],
      [
        { label: 'BERT_Large', cells: [{ text: '0.5397', value: 0.5397, marks: '**' }, noValue] },
        {
          label: 'A, "B"',
          cells: [
            { text: '0.5397', value: 0.53972, marks: '↓*' },
            { text: '0.5533', value: 0.5533, quoted: true, marks: '***' },
          ],
        },
      ],
    ],
    [0],
  ),
  notes: ['p < .01, Δ where α is 1'],
};

describe('a table', () => {
  test('marks all values that print as the best of their column', () => {
    const [, [first, second]] = table.groups;
    expect([first.cells[0].best, second.cells[0].best, second.cells[1].best]).toEqual([
      true,
      true,
      undefined,
    ]);
    expect(table.groups[0][0].cells[0].best).toBeUndefined();
  });

  test('as Markdown escapes what Markdown would read', () => {
    expect(toMarkdown(table)).toBe(
      [
        '**Effectiveness & more**',
        '',
        '| Model | nDCG@20 | nDCG@20 (published) |',
        '| :--- | ---: | ---: |',
        '| DPH+KL | 0.4397 | – |',
        '| BERT\\_Large | **0.5397**\\*\\* | – |',
        '| A, "B" | **0.5397**↓\\* | _0.5533_\\*\\*\\* |',
        '',
        'p \\< .01, Δ where α is 1',
        '',
      ].join('\n'),
    );
  });

  test('as LaTeX has rules between groups, raised stars and escaped signs', () => {
    const latex = toLatex(table);
    expect(latex).toContain('BERT\\_Large & \\textbf{0.5397}$^{**}$ & -- \\\\');
    expect(latex).toContain('\\textbf{0.5397}$^{\\downarrow *}$ & \\textit{0.5533}$^{***}$ \\\\');
    expect(latex.match(/\\midrule/g)).toHaveLength(2);
    expect(latex).toContain('\\caption{Effectiveness \\& more. p $<$ .01, $\\Delta$ where $\\alpha$ is 1.}');
  });

  test('as CSV has full precision, marks apart and quotes where needed', () => {
    expect(toCsv(table)).toBe(
      [
        'Model,nDCG@20,nDCG@20 marks,nDCG@20 (published),nDCG@20 (published) marks',
        'DPH+KL,0.43971,,,',
        'BERT_Large,0.5397,**,,',
        '"A, ""B""",0.53972,↓*,0.5533,***',
        '',
      ].join('\n'),
    );
  });

  test('as JSON has a row per object', () => {
    const { rows } = JSON.parse(toJson(table)) as { rows: unknown[] };
    expect(rows[0]).toEqual({ Model: 'DPH+KL', 'nDCG@20': 0.43971, 'nDCG@20 (published)': null });
    expect(rows[1]).toMatchObject({ 'nDCG@20': 0.5397, 'nDCG@20 marks': '**' });
  });
});
