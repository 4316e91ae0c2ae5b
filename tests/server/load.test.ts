import { request } from 'node:http';
import type { Worker } from 'node:worker_threads';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  demoTexts,
  get,
  metric,
  post,
  startServer,
  until,
  type Answered,
  type Json,
} from './support/server.js';

const query = 'why did the bridge sway in the wind';
let texts: string[];

beforeAll(async () => {
  texts = await demoTexts(30);
});

const order = (body: Json) => body.results.map(({ index }: { index: number }) => index);

describe('under load', () => {
  it('a worker that dies costs nobody an answer', async () => {
    const workers: Worker[] = [];
    const born = (worker: Worker) => workers.push(worker);
    process.on('worker', born);
    const { url } = await startServer({ models: ['T'] });
    const { body: alone } = await post(`${url}/v2/rerank`, { query, documents: texts });
    const crowd = () =>
      Promise.all(Array.from({ length: 8 }, () => post(`${url}/v2/rerank`, { query, documents: texts })));
    // One after the other: a batch that two workers died under is given up, and rightly so.
    for (const worker of workers.slice()) {
      const known = workers.length;
      // A worker that is told to close without the pool ends between two batches; tasks that were sent to it are lost.
      worker.postMessage({ kind: 'close' }, []);
      // It is replaced when there is more work than the others do.
      while (workers.length === known) {
        for (const { status, body } of await crowd()) {
          expect(status).toBe(200);
          expect(order(body)).toEqual(order(alone));
        }
      }
    }
    expect((await get(`${url}/health`)).body['status']).toBe('ok');
    process.off('worker', born);
  });

  it('a client that hangs up costs nothing from the next round on', async () => {
    const { url } = await startServer({ models: ['TTT'] });
    const documents = Array.from({ length: 1500 }, (_, i) => `${i} ${texts[i % texts.length]}`);
    const sending = request(`${url}/v2/rerank`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
    });
    sending.on('error', () => undefined);
    sending.end(JSON.stringify({ query, documents }));
    const pairs = () => metric(url, 'bert_qe_pairs_total{model="tiny"}');
    const warmedUp = await pairs();
    await until(async () => (await pairs()) > warmedUp);
    sending.destroy();
    await until(async () => (await metric(url, 'bert_qe_requests_ended_total{reason="hang-up"}')) === 1);
    expect(await metric(url, 'bert_qe_pending_tokens')).toBe(0);
    // Served after whatever was still on its way.
    await post(`${url}/v2/rerank`, { query, documents: ['one'], method: { kc: 1 } });
    // All of it would have been eleven pairs a document, and more for long ones.
    expect((await pairs()) - warmedUp).toBeLessThan(3000);
  });

  it('more than the queue holds is refused at once, with the time to come back; what was admitted is answered', async () => {
    const { url } = await startServer({ models: ['T'], limits: { queueTokens: 12_000 } });
    const answers: Answered[] = await Promise.all(
      Array.from({ length: 40 }, () => post(`${url}/v2/rerank`, { query, documents: texts.slice(0, 20) })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    for (const { status, headers, body } of answers) {
      if (status === 429) {
        expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
        expect(body['error_type']).toBe('overloaded');
      } else {
        expect(body['results']).toHaveLength(20);
      }
    }
    expect(await metric(url, 'bert_qe_pending_tokens')).toBe(0);
    expect((await post(`${url}/v2/rerank`, { query, documents: texts.slice(0, 20) })).status).toBe(200);
  });

  it('a deadline ends a request, whoever set it', async () => {
    const { url } = await startServer({ models: ['TTT'] });
    const documents = Array.from({ length: 400 }, (_, i) => `${i} ${texts[i % texts.length]}`);
    const { status, body } = await post(`${url}/v2/rerank`, { query, documents }, { 'X-Timeout-Ms': '150' });
    expect([status, body['error_type']]).toEqual([504, 'deadline']);
    expect(await metric(url, 'bert_qe_pending_tokens')).toBe(0);
    expect(await metric(url, 'bert_qe_requests_ended_total{reason="deadline"}')).toBe(1);
  });

  it('a small request overtakes the large one of another client', async () => {
    const { url } = await startServer({ models: ['TTT', 'T'], keys: ['large', 'small'] });
    const documents = Array.from({ length: 90 }, (_, i) => `${i} ${texts[i % texts.length]}`);
    const answered: string[] = [];
    const large = post(`${url}/v2/rerank`, { query, documents }, { Authorization: 'Bearer large' }).then(
      ({ status }) => answered.push(`large ${status}`),
    );
    const reader = { Authorization: 'Bearer small' };
    await until(async () => (await metric(url, 'bert_qe_pending_tokens', reader)) > 0);
    const small = post(
      `${url}/v2/rerank`,
      { model: 'T', query, documents: texts.slice(0, 5) },
      { Authorization: 'Bearer small' },
    ).then(({ status }) => answered.push(`small ${status}`));
    await Promise.all([large, small]);
    expect(answered).toEqual(['small 200', 'large 200']);
  });

  it('metrics are Prometheus text', async () => {
    const { url } = await startServer({ models: ['T'] });
    await post(`${url}/v2/rerank`, { query, documents: texts.slice(0, 3) });
    const answer = await fetch(`${url}/metrics`);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await answer.text();
    for (const line of text.trimEnd().split('\n')) {
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? -?[\d.e+-]+)$/);
    }
    expect(text).toContain('bert_qe_requests_total{route="/v2/rerank",status="200"} 1');
    expect(text).toContain('bert_qe_request_duration_seconds_bucket{route="/v2/rerank",le="+Inf"} 1');
  });
});
