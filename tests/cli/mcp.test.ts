import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDocuments } from '../../src/collection/index.js';
import { BertQE, buildIndex, createAnalyzer } from '../../src/index.js';
import { bertQe, type CliResult, launcher } from '../support/cli.js';
import { temporaryFolder } from '../support/folders.js';
import { jsonLines, refusal } from './support.js';

const root = join(import.meta.dirname, '../..');
const query = 'why does a bridge sway in the wind';
const texts = [
  'Bread rises because yeast makes gas.',
  'A bridge sways when the wind sets it swinging.',
  'The bridge was painted red.',
];

interface Place {
  readonly rank: number;
  readonly id: string;
  readonly index?: number;
  readonly relevance: number;
  readonly initialRank: number;
  readonly passage: string;
  readonly text?: string;
}

interface Answer {
  readonly isError?: boolean;
  readonly content: { readonly type: string; readonly text: string }[];
  readonly structuredContent: { readonly results: Place[] };
}

/** The SDK's own client, with a server of its own. It checks every structured answer against the tool's schema. */
async function connect(...args: string[]) {
  const env = { ...getDefaultEnvironment(), ...(process.env as Record<string, string>) };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [launcher, 'mcp', '--models', 'TTT', ...args],
    env,
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const client = new Client({ name: 'test', version: '1' });
  const problems: Error[] = [];
  // A line on standard output that is not of the protocol would end up here.
  client.onerror = (error) => problems.push(error);
  await client.connect(transport);
  await client.listTools();
  const call = async (name: string, args: object) =>
    (await client.callTool({ name, arguments: args as Record<string, unknown> })) as unknown as Answer;
  return { client, call, problems, stderr: () => stderr };
}

describe('bert-qe mcp over an index', () => {
  let server: Awaited<ReturnType<typeof connect>>;

  beforeAll(async () => {
    const folder = temporaryFolder();
    await buildIndex(readDocuments(join(root, 'demo')), {
      folder,
      analyzer: createAnalyzer({ base: 'terrier' }),
    });
    server = await connect('--index', folder, '--depth', '20');
  });

  afterAll(() => server.client.close());

  it('describes its tools with schemas of what they take and give', async () => {
    expect(server.client.getServerVersion()).toMatchObject({ name: 'bert-qe' });
    const { tools } = await server.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search', 'rerank', 'explain']);
    for (const { inputSchema, outputSchema, annotations, description } of tools) {
      expect(inputSchema.required).toContain('query');
      expect(outputSchema?.type).toBe('object');
      expect(annotations?.readOnlyHint).toBe(true);
      expect(description).toMatch(/\.$/);
    }
  });

  it('searches, and explains a result', async () => {
    const asked = 'predicting eruptions';
    const { content, structuredContent } = await server.call('search', { query: asked, limit: 3 });
    const { results } = structuredContent;
    expect(results.map(({ rank }) => rank)).toEqual([1, 2, 3]);
    expect(results[0].id).toMatch(/^volcano-/);
    expect(results[0]).not.toHaveProperty('text');
    expect(content[0].text).toContain(`[${results[0].id}] (relevance ${results[0].relevance.toFixed(3)})`);
    expect(content[0].text).toContain(results[0].passage);

    const { id } = results[1];
    const explained = await server.call('explain', { query: asked, id });
    expect(explained.structuredContent).toMatchObject({
      id,
      ranks: { initial: results[1].initialRank, final: 2 },
      scores: { combined: expect.closeTo(results[1].relevance, 5) as number },
      passage: results[1].passage,
    });
    const { chunks } = explained.structuredContent as unknown as {
      chunks: { weight: number; text: string }[];
    };
    expect(chunks.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 5);
    expect(explained.content[0].text).toContain(`${id} has rank 2 of`);
    for (const { text } of chunks) expect(explained.content[0].text).toContain(text);
  });

  it('gives whole texts on request, and says when nothing is found', async () => {
    const found = await server.call('search', { query: 'eruptions', limit: 1, fullText: true });
    const [{ passage, text }] = found.structuredContent.results;
    expect(text!.length).toBeGreaterThan(0);
    expect(found.content[0].text).toContain(text);
    expect(passage).not.toBeNull();
    const nothing = await server.call('search', { query: 'xyzzy' });
    expect(nothing).toMatchObject({
      structuredContent: { results: [] },
      content: [{ text: 'Nothing was found for "xyzzy"; try other words.' }],
    });
  });

  it('answers mistakes as errors of the tool, in one line', async () => {
    const mistakes: [string, object, string | RegExp][] = [
      ['search', { query: ' ' }, 'query: must not be empty.'],
      ['search', { query, topk: 3 }, /topk/],
      ['search', { query, limit: 0 }, /^limit: /],
      ['rerank', { query, documents: [] }, /^documents: /],
      ['rerank', { query, documents: Array(1_000_000).fill(1) }, 'documents: has more than 1000 elements.'],
      ['rerank', { query, documents: texts, ['k'.repeat(100_000)]: 1 }, /^Unrecognized key: "k{100,300}…/],
      [
        'rerank',
        {
          query,
          documents: [
            { id: 'a', text: 'x' },
            { id: 'a', text: 'y' },
          ],
        },
        /"a" is there twice/,
      ],
      ['explain', { query, id: 'nobody' }, /^There is no document "nobody" in the index/],
      ['explain', { query, id: 'volcano-swelling' }, /is not among those that the first stage finds/],
      ['explain', { query, id: '7', documents: texts }, /^No document has the id "7"/],
    ];
    for (const [tool, args, message] of mistakes) {
      const { isError, content } = await server.call(tool, args);
      expect(isError).toBe(true);
      expect(content[0].text).toMatch(message);
      expect(content[0].text).not.toContain('\n');
      expect(content[0].text.length).toBeLessThan(1000);
    }
    await expect(server.client.callTool({ name: 'find' })).rejects.toThrow(
      'there is search, rerank, explain',
    );
  });

  it('stops a call that the client cancels, and goes on', async () => {
    const documents = Array.from({ length: 1000 }, (_, i) => `${i} ${texts.join(' ').repeat(20)}`);
    const cancel = new AbortController();
    const call = server.client.callTool({ name: 'rerank', arguments: { query, documents } }, undefined, {
      signal: cancel.signal,
      timeout: 600_000,
    });
    setTimeout(() => cancel.abort(), 200);
    await expect(call).rejects.toThrow();
    expect((await server.call('rerank', { query, documents: texts })).isError).toBeUndefined();
  });

  it('writes nothing but the protocol', () => {
    expect(server.problems).toEqual([]);
    expect(server.stderr()).toBe('');
  });
});

describe('bert-qe mcp without an index', () => {
  it('re-ranks and explains given texts as the library does, and has no search', async () => {
    const { client, call } = await connect();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['rerank', 'explain']);
    const reranker = await BertQE.load({ models: 'TTT' });
    const { results } = await reranker.rerank(query, texts);
    await reranker.close();
    const answer = await call('rerank', { query, documents: texts });
    expect(answer.structuredContent.results.map(({ index, id }) => ({ index, id }))).toEqual(
      results.map(({ index, id }) => ({ index, id })),
    );
    expect(answer.structuredContent.results[0].relevance).toBeCloseTo(results[0].relevance!, 5);
    const best = await call('rerank', {
      query,
      documents: texts.map((text) => ({ title: 'T', text })),
      limit: 1,
    });
    expect(best.structuredContent.results).toHaveLength(1);
    const explained = await call('explain', { query, id: '1', documents: texts });
    expect(explained.structuredContent).toMatchObject({ id: '1', documents: 3, scores: { initial: null } });
    const without = await call('explain', { query, id: '1' });
    expect(without).toMatchObject({ isError: true });
    expect(without.content[0].text).toContain('There is no index here');
    await client.close();
  });

  it('answers what was asked before its input ended, and exits with 0', async () => {
    const clientInfo = { name: 'shell', version: '1' };
    const { code, stdout } = await serverWith(
      request(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      request(2, 'tools/call', { name: 'rerank', arguments: { query, documents: texts } }),
    );
    expect(code).toBe(0);
    const answers = jsonLines<{ id: number; result: object }>(stdout);
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
    expect(answers[1].result).toHaveProperty('structuredContent.results.0.rank', 1);
  });

  it('ends with a line about it at a message that is too long', async () => {
    const long = request(1, 'tools/call', { name: 'rerank', arguments: { query: 'x'.repeat(11 << 20) } });
    const { code, stdout, stderr } = await serverWith(long);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^bert-qe: .*\n$/);
  });

  it('ends on SIGTERM', async () => {
    const child = spawn(process.execPath, [launcher, 'mcp', '--models', 'T'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.stdin.write(`${JSON.stringify(request(1, 'ping', {}))}\n`);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
  });

  it('says in one line what is missing: the index, or the SDK', async () => {
    refusal(await bertQe(['mcp', '--index', join(temporaryFolder(), 'none')]));

    // A copy of the package by links, from where every package but the SDK can be found.
    const flags = ['--preserve-symlinks', '--preserve-symlinks-main'];
    const program = [...flags, withoutSdk(temporaryFolder())];
    expect(refusal(await bertQe(['mcp'], { program }))).toBe(
      'bert-qe: The MCP server needs the package @modelcontextprotocol/sdk, which is not installed; install it with: npm install @modelcontextprotocol/sdk\n',
    );
  });
});

function withoutSdk(folder: string): string {
  mkdirSync(join(folder, 'node_modules'));
  for (const name of ['bin', 'dist', 'models', 'package.json'])
    symlinkSync(join(root, name), join(folder, name));
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name === '@modelcontextprotocol') continue;
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
  return join(folder, 'bin/bert-qe.js');
}

function request(id: number, method: string, params: object) {
  return { jsonrpc: '2.0', id, method, params };
}

/** Runs the server with messages as its whole input. */
function serverWith(...messages: object[]): Promise<CliResult> {
  const input = messages.map((message) => `${JSON.stringify(message)}\n`).join('');
  return bertQe(['mcp', '--models', 'T'], { input });
}
