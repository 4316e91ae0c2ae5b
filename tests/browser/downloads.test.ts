import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type DownloadOptions, Downloads } from '../../src/browser/downloads.js';
import type { WebCache } from '../../src/browser/web.js';

const base = 'https://example.org/model/';

/** A store that works, or fails where it is told to. */
class Store implements WebCache {
  readonly kept = new Map<string, Response>();
  full = false;

  async match(url: string): Promise<Response | undefined> {
    return this.kept.get(url)?.clone();
  }

  async put(url: string, response: Response): Promise<void> {
    if (this.full) throw new DOMException('Quota exceeded.', 'QuotaExceededError');
    this.kept.set(url, response);
  }

  async delete(url: string): Promise<boolean> {
    return this.kept.delete(url);
  }
}

const files: Record<string, string | Uint8Array<ArrayBuffer>> = { 'config.json': '{"a": 1}' };

function visit(
  open: (() => Promise<WebCache>) | undefined,
  options: Partial<DownloadOptions> = {},
  place = base,
) {
  const asked: string[] = [];
  vi.stubGlobal('caches', open && { open });
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url.slice(place.length));
    const body = files[url.slice(place.length)];
    return body === undefined ? new Response(null, { status: 404 }) : new Response(body);
  });
  const downloads = new Downloads(place, {
    keeping: 'keep',
    signal: new AbortController().signal,
    onProgress: () => {},
    ...options,
  });
  return { downloads, asked };
}

afterEach(() => vi.unstubAllGlobals());

describe('downloads of a model', () => {
  it('are kept, and so is what is not there', async () => {
    const store = new Store();
    const first = visit(async () => store);
    expect(await first.downloads.text('config.json')).toBe('{"a": 1}');
    expect(await first.downloads.text('added_tokens.json')).toBeUndefined();
    expect(first.downloads.notKept).toBeUndefined();
    const second = visit(async () => store);
    expect(await second.downloads.text('config.json')).toBe('{"a": 1}');
    expect(await second.downloads.text('added_tokens.json')).toBeUndefined();
    expect(second.asked).toEqual([]);
  });

  it('are fetched again where the kept copy has another hash', async () => {
    const store = new Store();
    store.kept.set(`${base}config.json`, new Response('{"a": 2}'));
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode('{"a": 1}'));
    const integrity = { 'config.json': `sha256-${Buffer.from(hash).toString('base64')}` };
    const { downloads, asked } = visit(async () => store, { integrity });
    expect(await downloads.text('config.json')).toBe('{"a": 1}');
    expect(asked).toEqual(['config.json']);
    expect(await (await store.match(`${base}config.json`))!.text()).toBe('{"a": 1}');
  });

  it.each([
    ['full', 'the browser’s storage is full', async () => Object.assign(new Store(), { full: true })],
    [
      'denied',
      'the browser denies this page storage',
      async (): Promise<WebCache> => {
        throw new DOMException('The operation is insecure.', 'SecurityError');
      },
    ],
    ['absent', 'this page has no storage', undefined],
  ])('go on where the storage is %s, and say so', async (_, reason, open) => {
    const { downloads } = visit(open);
    expect(await downloads.text('config.json')).toBe('{"a": 1}');
    expect(downloads.notKept?.replace("'", '’')).toContain(reason);
  });

  it('are not kept where they lie beside the program, as those of an extension do', async () => {
    const store = new Store();
    store.full = true;
    const { downloads } = visit(async () => store, {}, 'chrome-extension://abc/models/tiny/');
    expect(await downloads.text('config.json')).toBe('{"a": 1}');
    expect(downloads.notKept).toBeUndefined();
  });

  it('name the file that is missing, and ask for it again at the next try', async () => {
    const store = new Store();
    const { downloads } = visit(async () => store);
    await expect(downloads.bytes('model.safetensors')).rejects.toMatchObject({
      code: 'missing',
      message: expect.stringContaining(`${base}model.safetensors: there is no such file (404)`),
    });
    expect(store.kept.size).toBe(0);
  });

  it('take a page in place of a file for nothing', async () => {
    const { downloads } = visit(async () => new Store());
    vi.stubGlobal(
      'fetch',
      async () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } }),
    );
    expect(await downloads.text('added_tokens.json')).toBeUndefined();
  });

  it('unpack compressed files, once, and compare the hash of their content', async () => {
    const content = new TextEncoder().encode('weights '.repeat(100));
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', content)).toString('base64');
    const integrity = { 'm.gz': `sha256-${hash}` };
    const store = new Store();
    files['m.gz'] = new Uint8Array(gzipSync(content));
    expect(await visit(async () => store, { integrity }).downloads.bytes('m.gz')).toEqual(content);
    const second = visit(async () => store, { integrity });
    expect(await second.downloads.bytes('m.gz')).toEqual(content);
    expect(second.asked).toEqual([]);
    // Some hosts send such a file with `Content-Encoding: gzip`.
    files['m.gz'] = content;
    expect(await visit(async () => new Store(), { integrity }).downloads.bytes('m.gz')).toEqual(content);
    files['m.gz'] = new Uint8Array(gzipSync(content).subarray(0, 30));
    await expect(visit(async () => new Store()).downloads.bytes('m.gz')).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining(`${base}m.gz: the file is damaged`),
    });
    files['m.gz'] = new Uint8Array(gzipSync(Buffer.alloc(80 * 1024 * 1024)));
    await expect(visit(async () => new Store()).downloads.bytes('m.gz')).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining('it unpacks to more than 67108864 bytes'),
    });
  });

  it('tell of a server that fails', async () => {
    const { downloads } = visit(async () => new Store());
    vi.stubGlobal('fetch', async () => new Response(null, { status: 503 }));
    await expect(downloads.text('config.json')).rejects.toMatchObject({
      code: 'failure',
      message: `${base}config.json: the server answered with status 503.`,
    });
  });
});
