import { describe, expect, test } from 'vitest';
import { blocksOf, commandsOf, programsOf } from './blocks.js';
import { firstMissing } from './output.js';

const page = `
<!-- file: a.yaml -->
\`\`\`yaml
name: a
\`\`\`

\`\`\`sh
echo one
\`\`\`

<!-- output -->
\`\`\`text
one
\`\`\`

<!-- continues -->
\`\`\`sh
echo two
\`\`\`

<!-- not run: takes hours -->
\`\`\`sh
sleep 10000
\`\`\`
`;

describe('blocks of a page', () => {
  test('become programs with what continues them and what they print', () => {
    expect(programsOf(blocksOf('page.md', page))).toEqual([
      { name: 'page.md:3', language: 'yaml', code: 'name: a', savedAs: 'a.yaml', output: [] },
      { name: 'page.md:7', language: 'sh', code: 'echo one\necho two', savedAs: undefined, output: ['one'] },
    ]);
  });

  test('must be closed', () => {
    expect(() => blocksOf('page.md', '```sh\necho')).toThrow('page.md:1');
  });

  test('give up their bert-qe commands, without comments and quoted texts', () => {
    const code =
      'npm run build && node bin/bert-qe.js index a --out b # --not\nbert-qe search \\\n  --query "a --b"';
    expect(commandsOf(code)).toEqual([
      ['index', 'a', '--out', 'b'],
      ['search', '--query', 'TEXT'],
    ]);
  });
});

describe('printed output', () => {
  test.each([
    ['a  1.234', 'a 1.236'],
    ['a …', 'a and the rest'],
    ['… b', 'one b'],
    ['first\n…\nlast', 'first\nbetween\nlast'],
    ['-2.679', 'before\n-2.679\nafter'],
  ])('%j agrees with %j', (expected, printed) => {
    expect(firstMissing([expected], printed)).toBeUndefined();
  });

  test.each([
    ['a 1.234', 'a 1.237', 'a 1.234'],
    ['a 3', 'a 4', 'a 3'],
    ['a b', 'a b c', 'a b'],
    ['first\nlast', 'first\nbetween\nlast', 'last'],
    ['b\na', 'a\nb', 'a'],
  ])('%j does not agree with %j', (expected, printed, missing) => {
    expect(firstMissing([expected], printed)).toBe(missing);
  });
});
