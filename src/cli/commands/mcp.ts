import { Lazy } from '../../common/lazy.js';
import { openCollection, type SearchedCollection } from '../../remote/index.js';
import { loadReranker, withTexts } from '../../runs/index.js';
import { collectionAddress, retrievalModels } from '../collection-options.js';
import { defineCommand } from '../command.js';
import { loadSdk, serveTools } from '../mcp/protocol.js';
import { mostDocuments } from '../mcp/schemas.js';
import { toolsFor, type ToolSources } from '../mcp/tools.js';
import { clusterOptions, firstStageOptions, methodOptions, modelOptions, OPTIONS } from '../option-table.js';
import type { OptionValues } from '../options.js';
import { packageVersion } from '../../common/package-files.js';
import { rerankerConfig } from '../reranker-config.js';

const options = {
  index: { ...OPTIONS.index, help: 'folder of the index to search (made with bert-qe index)' },
  ...clusterOptions,
  ...firstStageOptions,
  ...modelOptions,
  ...methodOptions,
  depth: { ...OPTIONS.depth, default: 100, help: 'documents that a search re-ranks' },
} as const;

type Values = OptionValues<typeof options>;

export const mcpCommand = defineCommand({
  name: 'mcp',
  summary:
    'Serve assistants by the Model Context Protocol, over stdin and stdout: search, rerank and explain.',
  options,
  examples: ['bert-qe mcp --index notes.index', 'bert-qe mcp --models TTT'],
  async run({ options, io }) {
    const sdk = await loadSdk();
    const { config } = rerankerConfig(options);
    // All texts of a call are re-ranked; --depth is for searches.
    const depth = Math.max(options.depth, mostDocuments);
    // An assistant need not wait for the models at its start.
    const reranker = new Lazy(() => loadReranker({ ...config, depth }, io.signal));
    const { index } = options;
    const collection =
      index === undefined ? undefined : await openCollection(collectionAddress(index, options), io.signal);
    try {
      const tools = toolsFor({
        reranker: async () => (await reranker.get()).reranker,
        ...(collection ? { index: indexOf(collection, options) } : {}),
      });
      const { stdin, stdout } = process;
      const { stderr, signal } = io;
      await serveTools(sdk, tools, packageVersion(), { stdin, stdout, stderr, signal });
    } finally {
      await (await reranker.take())?.close();
      await collection?.close();
    }
  },
});

function indexOf(collection: SearchedCollection, options: Values): NonNullable<ToolSources['index']> {
  const retriever = collection.retriever(retrievalModels(options));
  return {
    name: collection.name,
    async search(text, signal) {
      const query = { id: '1', text };
      const ranking = await retriever.search(query, { depth: options.depth, signal });
      return withTexts(query, ranking, collection.documents);
    },
    has: async (id) => (await collection.firstMissing([id])) === undefined,
  };
}
