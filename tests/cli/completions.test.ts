import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands/index.js';
import { bertQe } from '../support/cli.js';
import { temporaryFolder } from '../support/folders.js';

const folder = temporaryFolder();
const scriptOf = (shell: string) => join(folder, `completions.${shell}`);
const has = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout, stderr } = await bertQe(['completions', shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    writeFileSync(scriptOf(shell), stdout);
  }
});

function run(shell: string, ...args: string[]): string {
  const { stdout, stderr } = spawnSync(shell, args, { encoding: 'utf8', cwd: folder });
  expect(stderr).toBe('');
  return stdout;
}

/** The words that bash offers for the last word of a command line. */
function complete(...words: string[]): string[] {
  const program =
    'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bert_qe; printf "%s\\n" "${COMPREPLY[@]}"';
  return run('bash', '-c', program, scriptOf('bash'), 'bert-qe', ...words)
    .split('\n')
    .filter(Boolean);
}

describe.skipIf(!has('bash'))('bash completes', () => {
  test('commands', () => {
    expect(complete('')).toEqual([...Object.keys(commands), '--help', '--version']);
    expect(complete('ch')).toEqual(['check']);
  });

  test('every option of every command', async () => {
    for (const [name, load] of Object.entries(commands)) {
      const options = Object.keys((await load()).options).map((option) => `--${option}`);
      expect(complete(name, '--')).toEqual([...options, '--help']);
    }
  });

  test('the values of an option, after a blank or a =', () => {
    expect(complete('index', 'notes', '--format', 'm')).toEqual(['markdown']);
    expect(complete('index', 'notes', '--format', '=', 'm')).toEqual(['markdown']);
    expect(complete('search', '--model', '')).toEqual(['dph', 'bm25', 'ql']);
    expect(complete('search', '--model', '=')).toEqual(['dph', 'bm25', 'ql']);
  });

  test('arguments that have a list of values', () => {
    expect(complete('models', '')).toEqual(['list', 'get', 'convert', 'quantize', 'info']);
    expect(complete('completions', 'z')).toEqual(['zsh']);
  });

  test('file names by itself, where the script offers nothing', () => {
    expect(complete('index', '')).toEqual([]);
    expect(complete('rerank', '--documents', '')).toEqual([]);
    expect(run('bash', '-c', 'source "$0"; complete -p bert-qe', scriptOf('bash'))).toContain('-o default');
  });
});

test.skipIf(!has('zsh'))('zsh loads the script and has a case for every command', () => {
  run('zsh', '-n', scriptOf('zsh'));
  const program = 'compdef() { print "$@" }; source "$0"; functions _bert_qe';
  const text = run('zsh', '-fc', program, scriptOf('zsh'));
  expect(text).toMatch(/^_bert_qe bert-qe\n/);
  for (const name of Object.keys(commands)) expect(text).toContain(`(${name})`);
});

/** The words that fish offers for a command line. */
function offered(line: string): string[] {
  return run('fish', '-c', `source ${scriptOf('fish')}; complete -C '${line}'`)
    .trim()
    .split('\n')
    .map((entry) => entry.split('\t')[0]);
}

test.skipIf(!has('fish'))('fish completes commands, options and values', () => {
  expect(offered('bert-qe ch')).toEqual(['check']);
  expect(offered('bert-qe index --format m')).toEqual(['markdown']);
  expect(offered('bert-qe rerank --js')).toEqual(['--json']);
  expect(offered('bert-qe models q')).toEqual(['quantize']);
});

test('another shell is refused', async () => {
  const { code, stderr } = await bertQe(['completions', 'tcsh']);
  expect([code, stderr]).toEqual([
    2,
    'bert-qe: There are completions for bash, zsh, fish, not for "tcsh".\n',
  ]);
});
