import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { documents, expectedRanking, query, startServer } from './support.js';

/**
 * The clients of TEI and Jina that exist in Python only, unmodified, against the server.
 *
 *     python3 -m venv clients && clients/bin/pip install -r tests/frameworks/requirements.txt
 *     BERT_QE_PYTHON=clients/bin/python npm run test:frameworks
 *
 * Without such a Python they are skipped.
 */
const python = process.env['BERT_QE_PYTHON'] ?? 'python3';
const script = fileURLToPath(new URL('python_clients.py', import.meta.url));
const modules = [
  'langchain_community.document_compressors',
  'llama_index.postprocessor.jinaai_rerank',
  'llama_index.postprocessor.tei_rerank',
];
const isThere = spawnSync(python, ['-c', modules.map((name) => `import ${name}`).join('\n')]).status === 0;
const reason = isThere ? '' : ` (skipped: ${python} lacks ${modules.join(', ')}; set BERT_QE_PYTHON)`;

describe.skipIf(!isThere)(`clients in Python, unmodified, against the server${reason}`, () => {
  it('those of TEI and Jina rank with their own defaults, and get the message of a wrong request', async () => {
    const key = 'a-key';
    const { url } = await startServer({ models: ['TTT', 'T'], keys: [key] });
    const expected = await expectedRanking('TTT');
    const child = promisify(execFile)(python, [script]);
    child.child.stdin!.end(JSON.stringify({ url, key, query, documents }));
    const { refused, ...rankings } = JSON.parse((await child).stdout) as Record<string, [number, number][]>;
    /** The places that each client asks for unless told otherwise. */
    const places = { 'LlamaIndex TEI': 5, 'LlamaIndex Jina': 2, 'LangChain Jina': 3 };
    expect(Object.keys(rankings)).toEqual(Object.keys(places));
    for (const [client, count] of Object.entries(places)) {
      const best = expected.slice(0, count);
      expect(
        rankings[client].map(([index]) => index),
        client,
      ).toEqual(best.map(({ index }) => index));
      rankings[client].forEach(([, score], i) => expect(score).toBeCloseTo(best[i].relevanceScore, 5));
    }
    expect(refused).toMatch(/API key/);
  });
});
