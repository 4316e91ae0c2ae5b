import { describe, expect, it } from 'vitest';
import { EngineConnection, loadEngineIndex } from '../../src/remote/index.js';
import { createAnalyzer } from '../../src/retrieval/index.js';
import { loopback, type Answer, type Asked } from './support/loopback.js';

interface Stored {
  readonly source: {
    readonly origin: { readonly number: number; readonly digest: string };
    readonly length: number;
  };
}

/** Answers the n-th bulk request in place of the store, or leaves it to that. */
type Fault = (text: string, nth: number, store: FakeStore) => Answer | undefined;

const noFault: Fault = () => undefined;

/** As much of a search engine as loading needs, in memory. */
async function fakeCluster(fault = noFault, timeoutMs = 3000) {
  const store = new FakeStore();
  let bulks = 0;
  const server = await loopback((asked) => {
    const wrong = asked.path.includes('/_bulk') ? fault(asked.text, ++bulks, store) : undefined;
    return wrong ?? store.answer(asked);
  });
  const connection = await EngineConnection.open({
    engine: 'opensearch',
    urls: [server.url],
    timeoutMs,
    retry: { attempts: 6, firstPauseMs: 1, longestPauseMs: 5 },
  });
  return { server, store, connection };
}

class FakeStore {
  readonly documents = new Map<string, Stored>();
  meta: unknown;
  /** The document that is gone when documents are counted first. */
  loses: string | undefined;
  creations = 0;

  answer({ method, path, body, text }: Asked): Answer {
    if (path === '/') return { json: { version: { number: '2.19.1', distribution: 'opensearch' } } };
    if (path.includes('/_bulk')) return { json: { items: this.bulk(text) } };
    if (path.includes('/_mget')) {
      const { ids } = body as { ids: readonly string[] };
      return {
        json: { docs: ids.map((_id) => ({ _id, found: true, _source: this.documents.get(_id)?.source })) },
      };
    }
    if (path.includes('/_mapping') && method === 'PUT') {
      this.meta = (body as { _meta: unknown })._meta;
      return { json: { acknowledged: true } };
    }
    if (path.includes('/_mapping')) return { json: { books: { mappings: { _meta: this.meta } } } };
    // It is lost once.
    if (path.includes('/_count') && this.documents.delete(this.loses ?? '')) this.loses = undefined;
    if (path.includes('/_count')) return { json: { count: this.documents.size, _shards: { failed: 0 } } };
    if (path.includes('/_search')) {
      const lengths = [...this.documents.values()].map(({ source }) => source.length);
      return {
        json: {
          aggregations: {
            tokens: { value: lengths.reduce((sum, length) => sum + length, 0) },
            longest: { value: Math.max(...lengths) },
            nonEmpty: { doc_count: lengths.filter((length) => length > 0).length },
          },
        },
      };
    }
    if (method === 'PUT' && path === '/books') {
      if (this.meta) {
        return {
          status: 400,
          json: { error: { type: 'resource_already_exists_exception', reason: 'there' } },
        };
      }
      this.meta = (body as { mappings: { _meta: unknown } }).mappings._meta;
    }
    return { json: {} };
  }

  /** Creates documents, with the status that `verdict` gives each (201). */
  bulk(text: string, verdict: (id: string) => number = () => 201) {
    const lines = text.trim().split('\n');
    const items: { create: { status: number; error?: object } }[] = [];
    for (let i = 0; i < lines.length; i += 2) {
      const id = (JSON.parse(lines[i]) as { create: { _id: string } }).create._id;
      const status = verdict(id);
      if (status !== 201) {
        items.push({ create: { status, error: { type: 'rejected', reason: 'queue is full' } } });
      } else if (this.documents.has(id)) {
        items.push({ create: { status: 409, error: { type: 'conflict', reason: 'exists' } } });
      } else {
        this.creations++;
        this.documents.set(id, { source: JSON.parse(lines[i + 1]) as Stored['source'] });
        items.push({ create: { status } });
      }
    }
    return items;
  }
}

const total = 57;
const collection = async function* (count = total, text = (i: number) => `stone number ${i}`) {
  for (let i = 0; i < count; i++) yield { id: `d${i}`, text: text(i) };
};
const twice = async function* () {
  yield* collection(8);
  yield { id: 'd3', text: 'again' };
};
const settings = {
  index: 'books',
  analyzer: createAnalyzer({ base: 'plain' }).spec,
  batchDocuments: 5,
  checkpointMs: 0,
};

describe('loading a collection into a cluster', () => {
  it.each<[string, Fault]>([
    ['nothing', noFault],
    ['429 for the whole request', (_, nth) => (nth % 3 === 1 ? { status: 429, json: {} } : undefined)],
    ['503 for the whole request', (_, nth) => (nth % 2 === 1 ? { status: 503, json: {} } : undefined)],
    ['a connection dropped before anything was stored', (_, nth) => (nth % 2 === 1 ? 'drop' : undefined)],
    [
      'a connection dropped after everything was stored',
      (text, nth, store) => {
        if (nth % 2 === 0) return undefined;
        store.bulk(text);
        return 'drop';
      },
    ],
    [
      'an answer that does not come, although everything was stored',
      (text, nth, store) => {
        if (nth !== 2) return undefined;
        store.bulk(text);
        return 'never';
      },
    ],
    [
      'some documents of a request refused with 429',
      (text, nth, store) => {
        if (nth % 2 === 0) return undefined;
        return { json: { errors: true, items: store.bulk(text, (id) => (/[13579]$/.test(id) ? 429 : 201)) } };
      },
    ],
    [
      'requests that are too large',
      (text) => (text.trim().split('\n').length > 4 ? { status: 413, text: 'too large' } : undefined),
    ],
    [
      'an answer that tells of fewer documents than were sent',
      (text, nth, store) => (nth % 4 === 1 ? { json: { items: store.bulk(text).slice(1) } } : undefined),
    ],
  ])('loses and doubles no document under %s', async (_, fault) => {
    const { store, connection } = await fakeCluster(fault);
    const report = await loadEngineIndex(() => collection(), { connection, ...settings });
    expect(store.documents.size).toBe(total);
    expect(store.creations).toBe(total);
    expect(report.statistics).toEqual({
      documents: total,
      nonEmptyDocuments: total,
      tokens: 3 * total,
      maxLength: 3,
    });
    await connection.close();
  });

  it('goes on where an interrupted load had come to', async () => {
    // Every request is counted below: none may be sent again because the machine is busy.
    const { store, connection, server } = await fakeCluster(noFault, 600_000);
    const controller = new AbortController();
    const broken = loadEngineIndex(() => collection(), {
      connection,
      ...settings,
      signal: controller.signal,
      onProgress: (done) => done >= 25 && controller.abort(),
    });
    await expect(broken).rejects.toMatchObject({ code: 'aborted' });
    const before = server.asked.length;
    const { resumedAt } = await loadEngineIndex(() => collection(), { connection, ...settings });
    expect(resumedAt).toBeGreaterThanOrEqual(25);
    expect(store.documents.size).toBe(total);
    expect(store.creations).toBe(total);
    const sent = server.asked.slice(before).filter(({ path }) => path.includes('_bulk'));
    expect(sent.length).toBeLessThanOrEqual(Math.ceil((total - 25) / 5));
    await connection.close();
  });

  it('puts back what the server lost after it was acknowledged', async () => {
    const { store, connection } = await fakeCluster();
    store.loses = 'd7';
    await loadEngineIndex(() => collection(), { connection, ...settings });
    expect(store.documents.size).toBe(total);
    await connection.close();
  });

  it('refuses an id that is given twice, and a collection that has changed', async () => {
    const { connection } = await fakeCluster();
    await expect(loadEngineIndex(twice, { connection, ...settings })).rejects.toMatchObject({
      code: 'input',
      message: expect.stringMatching(/"d3" is given twice \(document 4 /),
    });
    const changed = loadEngineIndex(() => collection(total, (i) => `other ${i}`), {
      connection,
      ...settings,
    });
    await expect(changed).rejects.toMatchObject({ code: 'input' });
    await connection.close();
  });

  it('stops at a document that the server will never take, and names it', async () => {
    const { connection } = await fakeCluster((text, _, store) => {
      return { json: { items: store.bulk(text, (id) => (id === 'd9' ? 400 : 201)) } };
    });
    await expect(loadEngineIndex(() => collection(), { connection, ...settings })).rejects.toMatchObject({
      code: 'input',
      message: expect.stringContaining('"d9"'),
    });
    await connection.close();
  });

  it('gives up when the server never has room', async () => {
    const { connection } = await fakeCluster((text, _, store) => {
      return { json: { items: store.bulk(text, () => 429) } };
    });
    await expect(loadEngineIndex(() => collection(3), { connection, ...settings })).rejects.toMatchObject({
      code: 'failure',
      message: expect.stringContaining('too much to do'),
    });
    await connection.close();
  });

  it('sends no script where the server runs none', async () => {
    const { server, connection } = await fakeCluster();
    await loadEngineIndex(collection, { ...settings, connection, scripts: false });
    const created = server.asked.find(({ method, path }) => method === 'PUT' && path === '/books')!;
    expect(created.text).toContain('"similarity":"bm25"');
    expect(created.text).not.toMatch(/scripted|"script"/);
    await connection.close();
  });
});
