// Writes src/retrieval/analysis/word-break-data.ts from what WordBreakClasses.java measured.
//   node make-word-break.mjs CLASSES.tsv OUT.ts
import { readFileSync, writeFileSync } from 'node:fs';

// A member of each class that is enough to recognise it; the class itself is what Lucene treats like that member.
const MEMBERS = {
  Letter: 0x41,
  Numeric: 0x30,
  ExtendNumLet: 0x5f,
  Extend: 0x300,
  MidLetter: 0x3a,
  MidNum: 0x2c,
  MidNumLet: 0x2e,
  SingleQuote: 0x27,
  DoubleQuote: 0x22,
  Hebrew: 0x5d0,
  Katakana: 0x30a2,
  Ideograph: 0x6f22,
  SouthEastAsian: 0xe44,
  SouthEastAsianMark: 0xe31,
  KeycapBase: 0x23,
  Keycap: 0x20e3,
  Emoji: 0x1f600,
  EmojiLetter: 0x2139,
  EmojiModifier: 0x1f3fb,
  TextSelector: 0xfe0e,
  EmojiSelector: 0xfe0f,
  Joiner: 0x200d,
  Region: 0x1f1fa,
  Tag: 0xe0061,
  TagEnd: 0xe007f,
};

const [input, output] = process.argv.slice(2);
const lines = readFileSync(input, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t'));
const runs = lines
  .filter(([kind]) => kind === 'run')
  .map(([, first, last, id]) => ({ first: parseInt(first, 16), last: parseInt(last, 16), id }));

const names = new Map();
for (const [name, member] of Object.entries(MEMBERS)) {
  const run = runs.find(({ first, last }) => first <= member && member <= last);
  if (!run || names.has(run.id)) throw new Error(`${name}: no class of its own`);
  names.set(run.id, name);
}
const unnamed = new Set(runs.map(({ id }) => id).filter((id) => !names.has(id)));
if (unnamed.size > 0) throw new Error(`classes without a name: ${[...unnamed].join(', ')}`);

let source = `// Made by scripts/peers/analysis/make.sh from Lucene 9.9.1's behaviour: do not edit.

/**
 * The code points of each class, as runs in base 36: how many code points to skip, then how many belong, …
 */
export const WORD_BREAK_RUNS = {
`;
for (const [id, name] of [...names].sort((a, b) => order(a[1]) - order(b[1]))) {
  let end = 0;
  const numbers = runs
    .filter((run) => run.id === id)
    .flatMap(({ first, last }) => {
      const pair = [first - end, last + 1 - first].map((n) => n.toString(36));
      end = last + 1;
      return pair;
    });
  source += `  ${name}: \`${wrap(numbers, 100, '    ')}\`,\n`;
}
writeFileSync(output, `${source}} as const;\n`);

function order(name) {
  return Object.keys(MEMBERS).indexOf(name);
}

/** On one line where it fits, else on lines of its own. */
function wrap(words, width, indent) {
  const whole = words.join(' ');
  if (whole.length <= width - 20) return whole;
  const rows = [''];
  for (const word of words) {
    if (rows.at(-1).length + word.length >= width) rows.push('');
    rows[rows.length - 1] += (rows.at(-1) ? ' ' : '') + word;
  }
  return `\n${rows.map((row) => indent + row).join('\n')}\n  `;
}
