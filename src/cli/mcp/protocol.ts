import type { Readable, Writable } from 'node:stream';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { yieldToEventLoop } from '../../common/yield.js';
import { BertQeError, reasonOf } from '../../common/errors.js';
import { optionalPackage } from '../../common/optional-package.js';
import type { Tool } from './tools.js';

/** The streams of the protocol, and the signal that ends it. */
interface ProtocolStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/** Loads the SDK of the Model Context Protocol, an optional package. */
export function loadSdk() {
  return optionalPackage('@modelcontextprotocol/sdk', 'The MCP server', async () => {
    const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
    const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
    const types = await import('@modelcontextprotocol/sdk/types.js');
    return { McpServer, StdioServerTransport, types };
  });
}

/** Answers calls of tools until the client closes its end or the signal fires. Calls that are running are answered. */
export async function serveTools(
  sdk: Awaited<ReturnType<typeof loadSdk>>,
  tools: readonly Tool[],
  version: string,
  { stdin, stdout, stderr, signal }: ProtocolStreams,
): Promise<void> {
  const { McpServer, StdioServerTransport, types } = sdk;
  const { server } = new McpServer({ name: 'bert-qe', version }, { capabilities: { tools: {} } });
  const running = new Set<Promise<CallToolResult>>();
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({ tools: tools.map(describe) }));
  server.setRequestHandler(types.CallToolRequestSchema, ({ params }, { signal: cancelled }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) {
      const known = tools.map(({ name }) => name).join(', ');
      throw new types.McpError(
        types.ErrorCode.InvalidParams,
        `There is no tool "${params.name}"; there is ${known}.`,
      );
    }
    const call = answerOf(tool, params.arguments ?? {}, AbortSignal.any([signal, cancelled]), stderr);
    running.add(call);
    void call.finally(() => running.delete(call));
    return call;
  });
  server.onerror = (error) => stderr.write(`bert-qe: ${reasonOf(error)}\n`);
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve());
    // The transport closes itself at a message that is too long.
    server.onclose = resolve;
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  await server.connect(new StdioServerTransport(stdin, stdout));
  await ended;
  await Promise.all(running);
  // The answers of the last calls are written in the next turn.
  await yieldToEventLoop();
  await server.close();
}

/** The answer of a call. A mistake or failure is an answer too, which the assistant can read. */
async function answerOf(
  tool: Tool,
  input: unknown,
  signal: AbortSignal,
  stderr: NodeJS.WritableStream,
): Promise<CallToolResult> {
  try {
    const { structured, text } = await tool.call(input, signal);
    return { content: [{ type: 'text', text }], structuredContent: structured };
  } catch (error) {
    const isKnown = error instanceof BertQeError;
    if (!isKnown) {
      stderr.write(`bert-qe: ${tool.name} failed: ${error instanceof Error ? error.stack : String(error)}\n`);
    }
    const text = isKnown ? error.message : `unexpected failure: ${reasonOf(error)}`;
    return { content: [{ type: 'text', text }], isError: true };
  }
}

function describe({ name, title, description, input, output }: Tool) {
  return {
    name,
    title,
    description,
    inputSchema: jsonSchema(input, 'input'),
    outputSchema: jsonSchema(output, 'output'),
    annotations: { title, readOnlyHint: true, openWorldHint: false },
  };
}

/** The schema in the draft that every client knows. */
function jsonSchema(schema: z.ZodObject, io: 'input' | 'output') {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-7' });
  return { ...rest, type: 'object' as const };
}
