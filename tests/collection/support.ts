import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { BertQeError, type ErrorCode } from '../../src/common/errors.js';
import { ByteSource } from '../../src/collection/byte-source.js';
import {
  readDocuments,
  type Document,
  type ReadDocumentsOptions,
  type SourcedDocument,
} from '../../src/collection/index.js';
import { temporaryFolder } from '../support/folders.js';

/** A folder for one test file, removed when its tests are done. */
export function scratchFolder(): (name: string, content?: string | Uint8Array) => string {
  const folder = temporaryFolder();
  return (name, content) => {
    const path = join(folder, name);
    if (content !== undefined) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
    return path;
  };
}

export function fixture(path: string): string {
  return fileURLToPath(new URL(`../fixtures/collection/${path}`, import.meta.url));
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A source that hands out these chunks. */
export function sourceOf(...chunks: (string | Uint8Array)[]): ByteSource {
  return new ByteSource('test.txt', toAsync(chunks));
}

async function* toAsync(chunks: (string | Uint8Array)[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk as string);
}

/** Cuts bytes at the given places (any numbers), as a network or a disk might. */
export function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [...new Set(places.map((place) => (bytes.length === 0 ? 0 : place % bytes.length)))].sort(
    (a, b) => a - b,
  );
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    pieces.push(bytes.subarray(from, to));
    from = to;
  }
  return pieces;
}

/** The message of a bad-input error: one line, exit code 2, holding every given part. */
export async function expectRefusal(
  promise: Promise<unknown>,
  parts: readonly string[],
  code: ErrorCode = 'input',
): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(BertQeError);
  const { message, code: actual, exitCode } = error as BertQeError;
  for (const part of parts) expect(message).toContain(part);
  expect(message).not.toContain('\n');
  expect(actual).toBe(code);
  expect(exitCode).toBe(code === 'failure' ? 1 : 2);
}

/** The number of documents of a collection; each is read and checked. */
export async function countDocuments(path: string, options?: ReadDocumentsOptions): Promise<number> {
  let count = 0;
  for await (const _ of readDocuments(path, options)) count++;
  return count;
}

/** A document without the place that it was read from. */
export function withoutOrigin({ id, title, text }: SourcedDocument): Document {
  return title === undefined ? { id, text } : { id, title, text };
}
