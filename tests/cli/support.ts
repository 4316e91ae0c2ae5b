import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { main } from '../../src/cli/main.js';
import type { CliResult } from '../support/cli.js';

/** Runs a command in this process. */
export async function runHere(...args: string[]): Promise<CliResult> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const texts = Promise.all([text(stdout), text(stderr)]);
  const code = await main(args, { stdout, stderr, signal: new AbortController().signal });
  stdout.end();
  stderr.end();
  const [shown, said] = await texts;
  return { code, stdout: shown, stderr: said };
}

/** The message of a command that is refused: one line, with exit code 2 and nothing on standard output. */
export function refusal({ code, stdout, stderr }: CliResult): string {
  expect({ code, stdout, stderr }).toMatchObject({ code: 2, stdout: '' });
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  return stderr;
}

/** The words of a command line; a value in it is a word, and a list of values several. */
export function words(texts: TemplateStringsArray, ...values: (string | readonly string[])[]): string[] {
  return texts.flatMap((part, i) => [...part.split(/\s+/).filter(Boolean), ...[values[i] ?? []].flat()]);
}

/** The JSON objects of lines. */
export function jsonLines<T = Record<string, unknown>>(lines: string): T[] {
  return lines
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}
