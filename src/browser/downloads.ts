import { concat } from '../common/concat.js';
import {
  BertQeError,
  corruptError,
  failureError,
  missingError,
  reasonOf,
  throwIfAborted,
  usageError,
} from '../common/errors.js';
import { type ModelFiles, mostUnpacked } from '../bert/core.js';
import { web, type WebCache } from './web.js';

/** The progress of a download. */
export interface DownloadProgress {
  readonly file: string;
  readonly loaded: number;
  /** Bytes of the file; absent where the server does not say. */
  readonly total?: number;
}

/** The hashes of files, by name, as in `integrity` of HTML: `sha256-` and the hash in base64; of `.gz`, of their content. */
export type Integrity = Readonly<Record<string, string>>;

/** The storage of files: kept for the next visit, fetched anew and kept, or not kept. */
export type Keeping = 'keep' | 'reload' | 'none';

export interface DownloadOptions {
  /** Files of which it names the hash are compared with it; others than these are not asked for. */
  readonly integrity?: Integrity | undefined;
  readonly keeping: Keeping;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: DownloadProgress) => void;
}

/** The cache of the origin that holds models. */
const CACHE = 'bert-qe-models';

/** The files of a model below an address. They are kept in Cache Storage, so that the next visit needs no network. */
export class Downloads implements ModelFiles {
  /** The reason why files are not kept, where they are not. */
  notKept: string | undefined;
  #cache: Promise<WebCache | undefined> | undefined;

  constructor(
    /** The address of the folder, with a slash at its end. */
    readonly place: string,
    private readonly options: DownloadOptions,
  ) {}

  nameOf(file: string): string {
    return new URL(file, this.place).href;
  }

  async text(file: string): Promise<string | undefined> {
    const bytes = await this.find(file);
    return bytes && new TextDecoder().decode(bytes);
  }

  /** The bytes of a file that must be there. */
  async bytes(file: string): Promise<Uint8Array> {
    const bytes = await this.find(file);
    if (bytes) return bytes;
    // It may be there at the next try.
    await this.forget(file);
    throw missingError(
      `${this.nameOf(file)}: there is no such file (404). Serve the folder of the model there, or name its address.`,
    );
  }

  /** The bytes of a file; undefined where there is none. */
  async find(file: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { integrity, keeping, signal } = this.options;
    if (integrity && !Object.hasOwn(integrity, file)) return undefined;
    throwIfAborted(signal);
    const url = this.nameOf(file);
    this.#cache ??= this.#open();
    const cache = await this.#cache;
    const kept = keeping === 'keep' ? await cache?.match(url) : undefined;
    if (kept) {
      if (kept.status === 404) return undefined;
      const bytes = new Uint8Array(await kept.arrayBuffer());
      if (await this.#isExpected(file, bytes)) return bytes;
      // Damaged or replaced: fetched again.
      await cache?.delete(url);
    }
    const bytes = await this.#fetch(file, url);
    if (bytes && !(await this.#isExpected(file, bytes))) {
      throw corruptError(
        `${url}: the file is damaged or of another version: its SHA-256 is ${await hashOf(bytes)}, ` +
          `${integrity![file]} was expected. Reload it, or correct the hash.`,
      );
    }
    if (cache && !this.notKept) await this.#keep(cache, url, bytes);
    return bytes;
  }

  /** Forgets a file, so that the next visit fetches it again. */
  async forget(file: string): Promise<void> {
    await (await this.#cache)?.delete(this.nameOf(file));
  }

  async #fetch(file: string, url: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { keeping, signal, onProgress } = this.options;
    try {
      const answer = await fetch(url, { signal, ...(keeping === 'reload' ? { cache: 'reload' } : {}) });
      // Some hosts answer with their front page where there is no such file.
      const isPage = answer.headers.get('content-type')?.startsWith('text/html') ?? false;
      if (answer.status === 404 || isPage) return undefined;
      if (!answer.ok) {
        throw failureError(`${url}: the server answered with status ${answer.status}.`);
      }
      // The length of compressed answers is not that of the file.
      const isPlain = answer.headers.get('content-encoding') === null;
      const length = isPlain ? Number(answer.headers.get('content-length') ?? 0) : 0;
      const bytes = await received(answer, (loaded) =>
        onProgress({ file, loaded, ...(length > 0 ? { total: length } : {}) }),
      );
      if (length > 0 && bytes.length < length) {
        throw failureError(`${url}: the download ended at ${bytes.length} of ${length} bytes.`);
      }
      return file.endsWith('.gz') ? await unpacked(bytes, url) : bytes;
    } catch (error) {
      throwIfAborted(signal);
      if (error instanceof BertQeError) throw error;
      // Extensions have no status for a file that is not there.
      if (!url.startsWith('http')) return undefined;
      throw failureError(
        `${url}: cannot be fetched (${reasonOf(error)}). Check the connection, and that the server allows this page to read it (CORS).`,
        error,
      );
    }
  }

  async #isExpected(file: string, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const expected = this.options.integrity?.[file];
    return expected === undefined || expected === '' || (await hashOf(bytes)) === expected;
  }

  async #open(): Promise<WebCache | undefined> {
    // The files of a program or an extension are there without a network.
    if (this.options.keeping === 'none' || !this.place.startsWith('http')) return undefined;
    try {
      if (web.caches) return await web.caches.open(CACHE);
      this.notKept = 'this page has no storage: browsers give it to pages over HTTPS';
    } catch (error) {
      this.notKept = `the browser denies this page storage (${reasonOf(error)}): allow it in the site's settings`;
    }
    return undefined;
  }

  /** Keeps a file; without a file, that there is none. */
  async #keep(cache: WebCache, url: string, bytes: Uint8Array<ArrayBuffer> | undefined): Promise<void> {
    try {
      await cache.put(url, new Response(bytes ?? null, { status: bytes ? 200 : 404 }));
    } catch (error) {
      this.notKept = `the browser's storage is full (${reasonOf(error)}): free some space, or remove data of other sites`;
    }
  }
}

async function received(
  answer: Response,
  onProgress: (loaded: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let loaded = 0;
  const reader = answer.body!.getReader();
  for (;;) {
    const { done, value } = (await reader.read()) as { done: boolean; value?: Uint8Array };
    if (done || !value) break;
    parts.push(value);
    loaded += value.length;
    onProgress(loaded);
  }
  return concat<Uint8Array<ArrayBuffer>>(Uint8Array, parts);
}

/** The content of a compressed file; some hosts have the browser unpack it. */
async function unpacked(bytes: Uint8Array<ArrayBuffer>, url: string): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    const content = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    const most = mostUnpacked(bytes.length);
    return await received(new Response(content), (length) => {
      if (length > most) throw new Error(`it unpacks to more than ${most} bytes`);
    });
  } catch (cause) {
    const text = `${url}: the file is damaged (${reasonOf(cause)}). Reload it, or write it again.`;
    throw corruptError(text, cause);
  }
}

/** The SHA-256 of a file as `integrity` has it. */
async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  // Absent on pages without TLS.
  if ((crypto as { subtle?: unknown }).subtle === undefined) {
    throw usageError('Hashes of models can be checked on pages over HTTPS only.');
  }
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `sha256-${btoa(String.fromCharCode(...hash))}`;
}
