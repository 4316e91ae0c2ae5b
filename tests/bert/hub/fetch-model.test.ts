import { lstat, mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { fetchModel } from '../../../src/bert/hub/fetch-model.js';
import type { FetchModelOptions, FetchProgress } from '../../../src/bert/hub/settings.js';
import { BertQeError } from '../../../src/common/errors.js';
import { temporaryFolder } from '../scorer/mini-model.js';
import { FakeHub, type Fault, gitHash, sha256 } from './fake-hub.js';

/** 300,000 bytes that do not repeat: enough for several packets. */
const WEIGHTS = Buffer.alloc(300_000);
for (let i = 0; i < WEIGHTS.length; i += 4) WEIGHTS.writeUInt32LE(Math.imul(i + 1, 2654435761) >>> 0, i);

const BERT = {
  'config.json': '{"model_type":"bert"}',
  'tokenizer.json': '{"model":{}}',
  'tokenizer_config.json': '{}',
  'vocab.txt': '[PAD]\n',
  'model.safetensors': WEIGHTS,
  'pytorch_model.bin': 'not needed',
  'tf_model.h5': 'not needed',
  'README.md': 'not needed',
  'onnx/model.onnx': 'not needed',
};
const NEEDED = ['config.json', 'tokenizer.json', 'vocab.txt', 'tokenizer_config.json', 'model.safetensors'];

async function setUp(files: Record<string, string | Buffer> = BERT): Promise<{
  hub: FakeHub;
  cacheDir: string;
  options: FetchModelOptions;
}> {
  const hub = await FakeHub.start(files);
  const cacheDir = temporaryFolder();
  const onProgress = ({ file, received }: FetchProgress) => void hub.arrived.set(file, received);
  const options = {
    cacheDir,
    endpoint: hub.endpoint,
    token: '',
    retry: { firstPauseMs: 1 },
    offline: false,
    onProgress,
  };
  return { hub, cacheDir, options };
}

const modelFolder = (cacheDir: string): string => join(cacheDir, 'models--acme--ranker');

/** Fetches a model whose weights, served by another host, fail in these ways; they must arrive nevertheless. */
async function fetchWith(faults: Fault[], changes: FetchModelOptions = {}): Promise<FakeHub> {
  const { hub, options } = await setUp();
  hub.linked.add('model.safetensors');
  hub.faults.set('model.safetensors', faults);
  const { folder } = await fetchModel('acme/ranker', { ...options, ...changes });
  expect((await readFile(join(folder, 'model.safetensors'))).equals(WEIGHTS)).toBe(true);
  return hub;
}

/** The ranges in which the weights were asked for. */
function ranges(hub: FakeHub): (string | undefined)[] {
  return hub.cdnRequests.filter(({ method }) => method === 'GET').map(({ range }) => range);
}

/** The error of a fetch that must fail, leaving nothing that looks finished. */
async function failure(
  prepare: (hub: FakeHub) => void,
  changes: FetchModelOptions = {},
): Promise<BertQeError> {
  const { hub, cacheDir, options } = await setUp();
  prepare(hub);
  const error = await fetchModel('acme/ranker', { ...options, ...changes }).catch(
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(BertQeError);
  // Nothing that looks like a finished file or a known revision is left.
  const names = await readdir(join(modelFolder(cacheDir), 'blobs')).catch(() => []);
  expect(names.filter((name) => name === gitHash(WEIGHTS))).toEqual([]);
  await expect(readFile(join(modelFolder(cacheDir), 'refs/main'))).rejects.toThrow();
  return error as BertQeError;
}

function always(fault: Fault): Fault[] {
  return Array.from({ length: 20 }, () => fault);
}

function without(...names: string[]): (hub: FakeHub) => void {
  return (hub) => names.forEach((name) => hub.files.delete(name));
}

function debertaWithoutExport(hub: FakeHub): void {
  hub.files.set('config.json', Buffer.from('{"model_type":"deberta-v2"}'));
  hub.files.delete('onnx/model.onnx');
}

describe('a model is fetched', () => {
  test('with the files it needs and no others, into the usual cache layout', async () => {
    const { hub, cacheDir, options } = await setUp();
    hub.linked.add('model.safetensors');
    const model = await fetchModel('acme/ranker', options);
    expect(model).toEqual({
      folder: join(modelFolder(cacheDir), 'snapshots', hub.commit),
      commit: hub.commit,
      files: NEEDED,
      fromCache: false,
    });
    for (const file of NEEDED) {
      expect(await readFile(join(model.folder, file))).toEqual(Buffer.from(BERT[file as keyof typeof BERT]));
    }
    expect((await readdir(model.folder)).sort()).toEqual([...NEEDED].sort());
    expect(await readFile(join(modelFolder(cacheDir), 'refs/main'), 'utf8')).toBe(hub.commit);
    const blobs = await readdir(join(modelFolder(cacheDir), 'blobs'));
    expect(blobs.sort()).toEqual(
      [sha256(WEIGHTS), ...NEEDED.slice(0, 4).map((file) => gitHash(hub.files.get(file)!))].sort(),
    );
    const link = join(model.folder, 'model.safetensors');
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await readlink(link)).toBe(join('..', '..', 'blobs', sha256(WEIGHTS)));
    expect(await readdir(join(cacheDir, '.locks/models--acme--ranker'))).toEqual([]);
  });

  test('only once', async () => {
    const { hub, options } = await setUp();
    await fetchModel('acme/ranker', options);
    hub.requests.length = 0;
    await fetchModel('acme/ranker', options);
    expect(hub.requests.filter(({ method, path }) => method === 'GET' && !path.startsWith('/api'))).toEqual(
      [],
    );
  });

  test('once by two callers at the same time', async () => {
    const { hub, options } = await setUp();
    const [one, two] = await Promise.all([
      fetchModel('acme/ranker', options),
      fetchModel('acme/ranker', options),
    ]);
    expect(one).toEqual(two);
    for (const file of NEEDED) expect(hub.gets(file), file).toHaveLength(1);
  });

  test('of the family of RoBERTa as its weights', async () => {
    const { options } = await setUp({ ...BERT, 'config.json': '{"model_type":"xlm-roberta"}' });
    const { files } = await fetchModel('acme/ranker', options);
    expect(files).toEqual(['config.json', 'tokenizer.json', 'tokenizer_config.json', 'model.safetensors']);
  });

  test.each([
    ['of another family', { model_type: 'deberta-v2' }],
    ['with code of its own', { model_type: 'xlm-roberta', auto_map: { AutoModel: 'own.Encoder' } }],
  ])('%s as its ONNX export', async (_, config) => {
    const { options } = await setUp({
      ...BERT,
      'config.json': JSON.stringify(config),
      'onnx/model.onnx_data': 'weights',
    });
    const { files, folder } = await fetchModel('acme/ranker', options);
    expect(files).toEqual([
      'config.json',
      'tokenizer.json',
      'tokenizer_config.json',
      'onnx/model.onnx',
      'onnx/model.onnx_data',
    ]);
    expect(await readFile(join(folder, 'onnx/model.onnx'), 'utf8')).toBe('not needed');
  });

  test('in shards', async () => {
    const { options } = await setUp({
      'config.json': '{}',
      'vocab.txt': 'x',
      'model.safetensors.index.json': '{}',
      'model-00001-of-00002.safetensors': 'a',
      'model-00002-of-00002.safetensors': 'b',
    });
    expect((await fetchModel('acme/ranker', options)).files.slice(2)).toEqual([
      'model.safetensors.index.json',
      'model-00001-of-00002.safetensors',
      'model-00002-of-00002.safetensors',
    ]);
  });

  test('as the TensorFlow checkpoint that Google released', async () => {
    const { options } = await setUp({
      'bert_config.json': '{}',
      'vocab.txt': 'x',
      'bert_model.ckpt.index': 'a',
      'bert_model.ckpt.meta': 'not needed',
      'bert_model.ckpt.data-00000-of-00001': 'b',
    });
    expect((await fetchModel('acme/ranker', options)).files).toEqual([
      'bert_config.json',
      'vocab.txt',
      'bert_model.ckpt.index',
      'bert_model.ckpt.data-00000-of-00001',
    ]);
  });

  test('with progress that grows to the size of each file', async () => {
    const { hub, options } = await setUp();
    hub.faults.set('model.safetensors', [{ kind: 'drop', after: 100_000 }]);
    const seen: FetchProgress[] = [];
    const onProgress = (progress: FetchProgress) => {
      seen.push(progress);
      options.onProgress?.(progress);
    };
    await fetchModel('acme/ranker', { ...options, onProgress });
    const weights = seen.filter(({ file }) => file === 'model.safetensors');
    expect(weights.at(-1)).toEqual({
      file: 'model.safetensors',
      received: WEIGHTS.length,
      size: WEIGHTS.length,
      fileNumber: 5,
      fileCount: 5,
    });
    for (let i = 1; i < weights.length; i++)
      expect(weights[i].received).toBeGreaterThan(weights[i - 1].received);
  });
});

describe('a transfer that fails goes on', () => {
  test('where a dropped connection stopped', async () => {
    const hub = await fetchWith([
      { kind: 'drop', after: 70_000 },
      { kind: 'drop', after: 80_000 },
    ]);
    expect(ranges(hub)).toEqual([undefined, 'bytes=70000-', 'bytes=150000-']);
  });

  test('where a transfer ended too early without an error', async () => {
    expect(ranges(await fetchWith([{ kind: 'truncate', after: 123 }]))).toEqual([undefined, 'bytes=123-']);
  });

  test('where a connection went silent', async () => {
    expect(ranges(await fetchWith([{ kind: 'stall', after: 1000 }], { stallMs: 4000 }))).toEqual([
      undefined,
      'bytes=1000-',
    ]);
  });

  test('more often than it may fail in a row, as long as something arrives', async () => {
    const drops = Array.from({ length: 12 }, () => ({ kind: 'drop', after: 10_000 }) as const);
    expect(ranges(await fetchWith(drops))).toHaveLength(13);
  });

  test('from the start where the server ignores ranges', async () => {
    const hub = await fetchWith([{ kind: 'drop', after: 70_000 }, { kind: 'ignoreRange' }]);
    expect(ranges(hub)).toEqual([undefined, 'bytes=70000-']);
  });

  test('from the start where the server sends another range', async () => {
    const hub = await fetchWith([{ kind: 'drop', after: 70_000 }, { kind: 'wrongRange' }]);
    expect(ranges(hub)).toEqual([undefined, 'bytes=70000-', undefined]);
  });

  test('from the start where the hash is wrong', async () => {
    expect(ranges(await fetchWith([{ kind: 'corrupt' }]))).toEqual([undefined, undefined]);
  });

  test('after 0 bytes', async () => {
    expect(ranges(await fetchWith([{ kind: 'empty' }]))).toEqual([undefined, undefined]);
  });

  test('after answers of 429 and 5xx', async () => {
    const hub = await fetchWith([
      { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
      { kind: 'status', status: 503 },
      { kind: 'status', status: 500 },
    ]);
    expect(ranges(hub)).toHaveLength(4);
  });
});

describe('a file that changes between two attempts', () => {
  test('is fetched anew under its new ETag', async () => {
    const { hub, cacheDir, options } = await setUp();
    const changed = Buffer.from(WEIGHTS).reverse();
    hub.faults.set('model.safetensors', [
      { kind: 'drop', after: 70_000 },
      { kind: 'replace', content: changed },
    ]);
    const { folder } = await fetchModel('acme/ranker', options);
    expect((await readFile(join(folder, 'model.safetensors'))).equals(changed)).toBe(true);
    expect(hub.gets('model.safetensors').map(({ range }) => range)).toEqual([
      undefined,
      'bytes=70000-',
      undefined,
    ]);
    const blobs = await readdir(join(modelFolder(cacheDir), 'blobs'));
    expect(blobs).toContain(gitHash(changed));
    expect(blobs.filter((name) => name.includes('incomplete'))).toEqual([]);
  });
});

describe('a fetch that cannot succeed', () => {
  test('because of 0 bytes says so', async () => {
    const error = await failure((hub) => hub.faults.set('model.safetensors', always({ kind: 'empty' })));
    expect(error.message).toContain('model.safetensors: the server sent 0 bytes (5 times)');
    expect(error.exitCode).toBe(1);
  });

  test('because the file itself is empty says so', async () => {
    const error = await failure((hub) => hub.files.set('config.json', Buffer.alloc(0)));
    expect(error.message).toContain('config.json: the server offers 0 bytes');
  });

  test('because of a wrong hash says so', async () => {
    const error = await failure((hub) => hub.faults.set('model.safetensors', always({ kind: 'corrupt' })));
    expect(error.message).toContain('model.safetensors: its Git hash is wrong');
  });

  test('because the server sends more than it announced says so, and keeps none of it', async () => {
    const error = await failure((hub) => hub.faults.set('config.json', always({ kind: 'endless' })));
    expect(error.message).toMatch(/config\.json: the server sends more than the \d+ bytes that it announced/);
  });

  test('because the listing does not end says so', async () => {
    const error = await failure((hub) => hub.faults.set('*', always({ kind: 'endless' })));
    expect(error.message).toMatch(/longer than \d+ bytes/);
  });

  test('because of a server in trouble says so', async () => {
    const error = await failure((hub) => (hub.refuse = { status: 503 }));
    expect(error.message).toMatch(
      /^acme\/ranker: 127\.0\.0\.1:\d+ answers 503 \(the server is in trouble\) \(5 times\)/,
    );
  });

  test('because the server asks for more patience than we have gives up at once', async () => {
    let asked = 0;
    const error = await failure((hub) => {
      hub.refuse = { status: 429, headers: { 'retry-after': '86400' } };
      vi.spyOn(hub.requests, 'push').mockImplementation(() => ++asked);
    });
    expect(error.message).toContain('429 (too many requests)');
    expect(asked).toBe(1);
  });

  test.each<[string, number, Record<string, string>, FetchModelOptions, string]>([
    ['401 without a token', 401, {}, {}, 'set HF_TOKEN to a token from http'],
    ['401 with a token', 401, {}, { token: 'x' }, 'the token in HF_TOKEN is not valid'],
    ['403', 403, {}, { token: 'x' }, 'ask for access or accept its terms at http'],
    ['404', 404, { 'x-error-code': 'RepoNotFound' }, {}, 'check the name (owner/name)'],
    [
      '404 of a revision',
      404,
      { 'x-error-code': 'RevisionNotFound' },
      { revision: 'v9' },
      'there is no revision "v9"',
    ],
    ['418', 418, {}, {}, 'the server answers 418'],
  ])('because of %s says what to do', async (_, status, headers, changes, message) => {
    const error = await failure((hub) => (hub.refuse = { status, headers }), changes);
    expect(error.message).toContain(message);
  });

  test('because it needs files that are not there names them', async () => {
    expect((await failure(without('config.json'))).message).toContain('has no config.json');
    expect((await failure(without('tokenizer.json', 'vocab.txt'))).message).toContain(
      'has no tokenizer.json',
    );
    expect(
      (await failure(without('model.safetensors', 'pytorch_model.bin', 'onnx/model.onnx'))).message,
    ).toContain('has no weights');
    expect((await failure(debertaWithoutExport)).message).toMatch(
      /^acme\/ranker: model_type is "deberta-v2"; .* it has none$/,
    );
  });

  test('because the server redirects for ever is given up', async () => {
    const error = await failure((hub) => (hub.refuse = { status: 302, headers: { location: '/again' } }));
    expect(error.message).toContain('redirected more than 10 times');
  });

  test('because the answer is not a hub’s is refused', async () => {
    const error = await failure((hub) => (hub.commit = '../../evil'));
    expect(error.message).toContain('it is not a model hub');
  });

  test.each(['../evil', 'a/b/c', 'a/..', 'a--b/c', '', 'a b'])(
    'because "%s" is no model name',
    async (name) => {
      const { options } = await setUp();
      await expect(fetchModel(name, options)).rejects.toThrow('is not the name of a model on a hub');
    },
  );

  test('because the endpoint is no address is refused', async () => {
    await expect(fetchModel('a/b', { endpoint: 'hub.local' })).rejects.toThrow('is not a web address');
  });
});

describe('the token', () => {
  test('goes to the hub and not to where it redirects', async () => {
    const { hub, options } = await setUp();
    hub.linked.add('model.safetensors');
    await fetchModel('acme/ranker', { ...options, token: 'secret' });
    expect(hub.requests.length).toBeGreaterThan(5);
    for (const { authorization } of hub.requests) expect(authorization).toBe('Bearer secret');
    expect(hub.cdnRequests.length).toBeGreaterThan(0);
    for (const { authorization } of hub.cdnRequests) expect(authorization).toBeUndefined();
  });

  test('is taken from HF_TOKEN, the endpoint from HF_ENDPOINT, the cache from HF_HOME', async () => {
    const { hub, cacheDir } = await setUp();
    vi.stubEnv('HF_TOKEN', ' from-env\n');
    vi.stubEnv('HF_ENDPOINT', `${hub.endpoint}/`);
    vi.stubEnv('HF_HOME', cacheDir);
    vi.stubEnv('HF_HUB_CACHE', '');
    vi.stubEnv('HF_HUB_OFFLINE', '0');
    try {
      const { folder } = await fetchModel('acme/ranker');
      expect(folder.startsWith(join(cacheDir, 'hub', 'models--acme--ranker'))).toBe(true);
      expect(hub.requests[0].authorization).toBe('Bearer from-env');
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe('without the hub', () => {
  test('a fetched model is found offline, by revision and by commit', async () => {
    const { hub, options } = await setUp();
    const fetched = await fetchModel('acme/ranker', options);
    hub.stop();
    for (const revision of ['main', hub.commit]) {
      expect(await fetchModel('acme/ranker', { ...options, offline: true, revision })).toEqual({
        ...fetched,
        fromCache: true,
      });
    }
  });

  test('HF_HUB_OFFLINE is obeyed', async () => {
    const { hub, cacheDir } = await setUp();
    vi.stubEnv('HF_HUB_OFFLINE', '1');
    try {
      await expect(fetchModel('acme/ranker', { cacheDir, endpoint: hub.endpoint })).rejects.toThrow(
        'is not in the cache',
      );
      expect(hub.requests).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('a half-fetched model is not taken for a whole one', async () => {
    const { hub, options } = await setUp();
    hub.faults.set(
      'model.safetensors',
      Array.from({ length: 9 }, () => ({ kind: 'status', status: 500 }) as const),
    );
    await expect(fetchModel('acme/ranker', options)).rejects.toThrow();
    await expect(
      fetchModel('acme/ranker', { ...options, offline: true, revision: hub.commit }),
    ).rejects.toThrow('is not in the cache');
  });

  test('a fetched model is used where the hub cannot be reached', async () => {
    const { hub, options } = await setUp();
    const fetched = await fetchModel('acme/ranker', options);
    hub.stop();
    expect(await fetchModel('acme/ranker', options)).toEqual({ ...fetched, fromCache: true });
    await expect(fetchModel('acme/other', options)).rejects.toThrow('cannot reach http://127.0.0.1');
  });
});

describe('an interrupted fetch', () => {
  test('stops at once, keeps what has arrived and goes on the next time', async () => {
    const { hub, options } = await setUp();
    hub.faults.set('model.safetensors', [{ kind: 'stall', after: 50_000 }]);
    const controller = new AbortController();
    const fetching = fetchModel('acme/ranker', {
      ...options,
      signal: controller.signal,
      onProgress: ({ file, received }) => {
        if (file === 'model.safetensors' && received === 50_000) controller.abort();
      },
    });
    await expect(fetching).rejects.toMatchObject({ code: 'aborted' });
    const { folder } = await fetchModel('acme/ranker', options);
    expect((await readFile(join(folder, 'model.safetensors'))).equals(WEIGHTS)).toBe(true);
    expect(hub.gets('model.safetensors').map(({ range }) => range)).toEqual([undefined, 'bytes=50000-']);
  });

  test('does not block the next when it died holding its locks', async () => {
    const { hub, cacheDir, options } = await setUp();
    const locks = join(cacheDir, '.locks/models--acme--ranker');
    await mkdir(locks, { recursive: true });
    const dead = { pid: 2 ** 22 + 1, host: hostname(), key: 'x' };
    await writeFile(join(locks, `${gitHash(hub.files.get('config.json')!)}.lock`), JSON.stringify(dead));
    expect((await fetchModel('acme/ranker', options)).files).toEqual(NEEDED);
    expect(await readdir(locks)).toEqual([]);
  });
});
