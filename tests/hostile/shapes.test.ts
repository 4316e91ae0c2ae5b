import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerProcess } from './support/server-process.js';
import { generated, shapes, type Shape } from './support/shapes.js';

const megabyte = 1024 * 1024;
const bodyLimit = 16 * megabyte;
/** Each twice the one before; the last one is the largest that is read. */
const sizes = [bodyLimit / 4, bodyLimit / 2, bodyLimit - 64 * 1024];

/** The longest that the serving thread may be held, in milliseconds of CPU. */
const longestBlock = 250;

/** The part of a block that does not grow with the request: collecting garbage, and the clock's own grain. */
const fixedPart = 60;

let server: ServerProcess;
let atStart: number;

beforeAll(async () => {
  server = await ServerProcess.start({ limits: { deadlineMs: 1500 } });
  // Code is compiled, and buffers are made, when they are first needed.
  for (const { path, body } of shapes.slice(0, 10)) await server.post(path, body(megabyte));
  atStart = (await server.measure('memory')).rss;
});
afterAll(() => server.stop());

/** The longest block of each size. A second try stands for the first where that met other work. */
async function blocks({ path, headers, body }: Shape): Promise<number[]> {
  const longest: number[] = [];
  for (const size of sizes) {
    const sent = body(size);
    await server.measure('block');
    const { status } = await server.post(path, sent, headers);
    longest.push((await server.measure('block')).longest);
    expect([200, 400, 404, 413, 422, 429, 504, 0]).toContain(status);
  }
  return longest;
}

function hasGrown(longest: readonly number[]): boolean {
  return longest.some(
    (block, i) => block > longestBlock || (i > 0 && block > 2 * longest[i - 1] + fixedPart),
  );
}

async function staysFree(shape: Shape): Promise<void> {
  let longest = await blocks(shape);
  if (hasGrown(longest)) longest = await blocks(shape);
  expect(hasGrown(longest), `${shape.name}: held for ${longest.map(Math.round).join(', ')} ms`).toBe(false);
}

describe('the serving thread is free', () => {
  it.each(shapes.map((shape) => [shape.name, shape] as const))('beside %s', async (_, shape) => {
    await staysFree(shape);
  });

  it('beside values of any structure', async () => {
    await fc.assert(fc.asyncProperty(generated, staysFree), { numRuns: 12, endOnFailure: true });
  });
});

describe('afterwards', () => {
  it('memory is free again', async () => {
    const { rss } = await server.memoryUpTo(atStart + 100 * megabyte);
    expect(rss - atStart).toBeLessThan(100 * megabyte);
  });

  it('the server answers', async () => {
    const { status } = await server.post(
      '/v2/rerank',
      '{"query":"a bridge","documents":["a bridge","wind"]}',
    );
    expect(status).toBe(200);
  });
});
