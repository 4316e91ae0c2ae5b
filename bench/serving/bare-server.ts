// node --import tsx bench/serving/bare-server.ts MODEL
// The same scorer behind a minimal node:http server, without checks, limits, scheduling or metrics. Its loss against the
// scorer alone is the cost of HTTP, JSON and the client, which every server on Node has.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BertScorer } from '../../src/bert/index.js';

const scorer = await BertScorer.load({ model: process.argv[2] });

async function rerank(query: string, texts: readonly string[]): Promise<{ index: number; score: number }[]> {
  const scores = await scorer.score(texts.map((b) => ({ a: query, b })));
  return Array.from(scores, (score, index) => ({ index, score })).sort((a, b) => b.score - a.score);
}

const server = createServer((asked, answer) => {
  const chunks: Buffer[] = [];
  asked.on('data', (chunk: Buffer) => chunks.push(chunk));
  asked.on('end', () => {
    const { query, texts } = JSON.parse(Buffer.concat(chunks).toString()) as {
      query: string;
      texts: string[];
    };
    void rerank(query, texts).then((ranking) => {
      const text = JSON.stringify(ranking);
      answer.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(text),
      });
      answer.end(text);
    });
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
