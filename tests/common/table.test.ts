import { describe, expect, test } from 'vitest';
import { toCsv, toJson, toLatex, toLatexTabular, toMarkdown } from '../../src/common/table/formats.js';
import { markBest, noValue, type Table } from '../../src/common/table/table.js';
import { alignColumns, toText } from '../../src/common/table/text.js';

const table: Table = {
  id: 'main',
  title: 'Effectiveness & more',
  columns: ['Model', 'nDCG@20', 'Δ_α', 'cost'],
  groups: markBest(
    [
      [
        {
          label: 'DPH+KL ~ 50 % #1 {a} \\b',
          cells: [{ text: '0.4397', value: 0.43971 }, noValue, noValue],
        },
      ],
      [
        {
          label: 'BERT_Large',
          cells: [
            { text: '0.5397', value: 0.5397, marks: ' a** b↓*' },
            { text: '-0.0100', value: -0.01 },
            { text: '1.85×', value: 1.8512 },
          ],
        },
        {
          label: 'A, "B" <c> [d]',
          cells: [
            { text: '0.5397', value: 0.53972, marks: '↓*' },
            { text: '0.5533', value: 0.5533, quoted: true, marks: '***' },
            { text: 'β | `x`', value: 'β | `x`' },
          ],
        },
      ],
    ],
    [0],
  ),
  notes: ['p < .01, Δ where α is 1', 'Published: somewhere.'],
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

  test('as text has aligned columns and marks the best', () => {
    const lines = [
      'Effectiveness & more',
      'Model                     nDCG@20          Δ_α         cost',
      '──────────────────────────────────────────────────────────────',
      'DPH+KL ~ 50 % #1 {a} \\b   0.4397           –           –',
      'BERT_Large              ▸ 0.5397 a** b↓*   -0.0100     1.85×',
      'A, "B" <c> [d]          ▸ 0.5397↓*         0.5533***   β | `x`',
      '▸ best of its column',
      'p < .01, Δ where α is 1',
      'Published: somewhere.',
      '',
    ];
    expect(toText(table)).toBe(lines.join('\n'));
    const bold = toText(table, { colour: true });
    expect(bold).toContain('▸ \u001B[1m0.5397\u001B[22m↓*');
    // oxlint-disable-next-line no-control-regex
    expect(bold.replaceAll(/\u001B\[\d+m/g, '')).toBe(lines.join('\n'));
  });

  test('as Markdown escapes what Markdown would read', () => {
    expect(toMarkdown(table)).toBe(
      [
        '**Effectiveness & more**',
        '',
        '| Model | nDCG@20 | Δ\\_α | cost |',
        '| :--- | ---: | ---: | ---: |',
        '| DPH+KL ~ 50 % #1 {a} \\\\b | 0.4397 | – | – |',
        '| BERT\\_Large | **0.5397** a\\*\\* b↓\\* | -0.0100 | 1.85× |',
        '| A, "B" \\<c\\> \\[d\\] | **0.5397**↓\\* | _0.5533_\\*\\*\\* | β \\| \\`x\\` |',
        '',
        'p \\< .01, Δ where α is 1',
        '',
        'Published: somewhere.',
        '',
      ].join('\n'),
    );
    expect(toMarkdown({ ...table, title: '' })).toMatch(/^\| Model \|/);
  });

  test('as LaTeX has rules between groups, raised stars, escaped signs and a caption', () => {
    expect(toLatex(table)).toBe(
      [
        '% needs \\usepackage{booktabs}',
        '\\begin{table}',
        '\\centering',
        '\\begin{tabular}{lrrr}',
        '\\toprule',
        'Model & nDCG@20 & $\\Delta$\\_$\\alpha$ & cost \\\\',
        '\\midrule',
        'DPH+KL \\textasciitilde{} 50 \\% \\#1 \\{a\\} \\textbackslash{}b & 0.4397 & -- & -- \\\\',
        '\\midrule',
        'BERT\\_Large & \\textbf{0.5397}$^{a**\\,b\\downarrow *}$ & $-$0.0100 & 1.85$\\times$ \\\\',
        'A, "B" $<$c$>$ [d] & \\textbf{0.5397}$^{\\downarrow *}$ & \\textit{0.5533}$^{***}$ & $\\beta$ | `x` \\\\',
        '\\bottomrule',
        '\\end{tabular}',
        '\\caption{Effectiveness \\& more. p $<$ .01, $\\Delta$ where $\\alpha$ is 1. Published: somewhere.}',
        '\\label{tab:main}',
        '\\end{table}',
        '',
      ].join('\n'),
    );
  });

  test('as a LaTeX tabular has its title and notes inside', () => {
    const lines = toLatexTabular(table).split('\n');
    expect(lines.slice(0, 5)).toEqual([
      '\\begin{tabular}{llll}',
      '\\toprule',
      '\\multicolumn{4}{l}{Effectiveness \\& more} \\\\',
      '\\midrule',
      'Model & nDCG@20 & $\\Delta$\\_$\\alpha$ & cost \\\\',
    ]);
    expect(lines.slice(-5)).toEqual([
      '\\bottomrule',
      '\\multicolumn{4}{l}{p $<$ .01, $\\Delta$ where $\\alpha$ is 1} \\\\',
      '\\multicolumn{4}{l}{Published: somewhere.} \\\\',
      '\\end{tabular}',
      '',
    ]);
  });

  test('as CSV has full precision, marks apart and quotes where needed', () => {
    expect(toCsv(table)).toBe(
      [
        'Model,nDCG@20,nDCG@20 marks,Δ_α,Δ_α marks,cost',
        'DPH+KL ~ 50 % #1 {a} \\b,0.43971,,,,',
        'BERT_Large,0.5397,a** b↓*,-0.01,,1.8512',
        '"A, ""B"" <c> [d]",0.53972,↓*,0.5533,***,β | `x`',
        '',
      ].join('\n'),
    );
  });

  test('as JSON has a row per object', () => {
    const content = {
      id: 'main',
      title: 'Effectiveness & more',
      rows: [
        { Model: 'DPH+KL ~ 50 % #1 {a} \\b', 'nDCG@20': 0.43971, Δ_α: null, cost: null },
        { Model: 'BERT_Large', 'nDCG@20': 0.5397, 'nDCG@20 marks': 'a** b↓*', Δ_α: -0.01, cost: 1.8512 },
        {
          Model: 'A, "B" <c> [d]',
          'nDCG@20': 0.53972,
          'nDCG@20 marks': '↓*',
          Δ_α: 0.5533,
          'Δ_α marks': '***',
          cost: 'β | `x`',
        },
      ],
      notes: table.notes,
    };
    expect(toJson(table)).toBe(`${JSON.stringify(content, undefined, 2)}\n`);
  });
});

test('columns stand below each other, to the left or to the right', () => {
  const lines = [
    ['', 'pairs', 'tokens'],
    ['phase one', '1', '12'],
  ];
  expect(alignColumns(lines)).toEqual(['           pairs  tokens', 'phase one  1      12']);
  expect(alignColumns(lines, { align: 'right' })).toEqual([
    '           pairs  tokens',
    'phase one      1      12',
  ]);
});
