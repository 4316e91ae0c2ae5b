import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { flushToDisk } from '../../common/atomic.js';
import { withLock } from '../../common/lock.js';
import { retry, TransientFailure } from '../../common/retry.js';
import { BertQeError, failureError, reasonOf } from '../../common/errors.js';
import { hashFile } from '../../common/hash.js';
import { throwWriteFailure } from '../../common/io-errors.js';
import type { ModelCache } from './cache.js';
import { etagOf, type FileMetadata, type HubClient } from './client.js';
import type { RemoteFile } from './listing.js';
import type { HubSettings } from './settings.js';

interface Download {
  readonly client: HubClient;
  readonly cache: ModelCache;
  readonly settings: HubSettings;
  readonly commit: string;
  readonly file: RemoteFile;
  readonly signal: AbortSignal | undefined;
  readonly onBytes: (received: number, size: number) => void;
}

/** The content of a file: its name and its bytes. */
type Content = FileMetadata & { readonly size: number };

/** The file changed on the server during its download; the part that has arrived is useless. */
class ChangedFile extends TransientFailure {}

/**
 * Downloads a file into the cache and returns its ETag. A dropped transfer continues where it stopped; the file
 * takes its final name only when its size and, where known, its hash are right.
 */
export async function downloadFile(download: Download): Promise<string> {
  const { client, cache, settings, commit, file, signal } = download;
  const url = client.fileUrl(commit, file.path);
  const attempt = async (): Promise<string> => {
    const remote = await client.metadata(url, file.path, signal);
    const size = remote.size ?? file.size;
    if (file.size !== undefined && size !== file.size) {
      throw new TransientFailure(`the hub lists ${file.size} bytes but offers ${size}`);
    }
    if (size === 0) throw new TransientFailure('the server offers 0 bytes');
    if (size === undefined) {
      throw failureError(`${url}: the server gives no size for ${file.path}: it is not a model hub`);
    }
    if (!(await cache.hasBlob(remote.etag, size))) {
      const blob = cache.blobPath(remote.etag);
      const lock = join(cache.locks, `${basename(blob)}.lock`);
      await withLock(lock, { what: blob, wait: true, signal }, async () => {
        if (!(await cache.hasBlob(remote.etag, size)))
          await transfer(download, url, { ...remote, size }, blob);
      });
    }
    return remote.etag;
  };
  return retry(attempt, {
    what: file.path,
    policy: settings.retry,
    signal,
    advice: 'try again later, what has arrived is kept',
  });
}

async function transfer(download: Download, url: string, remote: Content, blob: string): Promise<void> {
  const partial = `${blob}.bert-qe.incomplete`;
  const handle = await mkdir(dirname(partial), { recursive: true })
    .then(() => open(partial, 'a+'))
    .catch(throwWriteFailure(partial));
  let size: number;
  try {
    size = await receive(download, url, remote, handle, partial);
    await flushToDisk(handle).catch(throwWriteFailure(partial));
  } catch (error) {
    if (error instanceof ChangedFile) await rm(partial, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  if (size === 0) throw new TransientFailure('the server sent 0 bytes');
  if (size !== remote.size) {
    throw new TransientFailure(`the transfer ended after ${size} of ${remote.size} bytes`);
  }
  const problem = await hashProblem(partial, size, remote.etag, download.file);
  if (problem !== undefined) {
    await rm(partial, { force: true });
    throw new TransientFailure(problem);
  }
  await rename(partial, blob);
}

/** Appends the missing part to the partial file and returns its size. */
async function receive(
  { client, settings, signal, onBytes }: Download,
  url: string,
  remote: Content,
  handle: FileHandle,
  partial: string,
): Promise<number> {
  let received = (await handle.stat()).size;
  if (received === remote.size) return received;
  const stall = new AbortController();
  const watch = setTimeout(() => stall.abort(new Error('no data')), settings.stallMs);
  const started = received;
  try {
    const response = await client.request(url, {
      signal: signal ? AbortSignal.any([signal, stall.signal]) : stall.signal,
      ...(received > 0 && { headers: { range: `bytes=${received}-` } }),
    });
    if (!continues(response, url, remote, received)) {
      await handle.truncate(0);
      received = 0;
      if (response.status !== 200) {
        await response.body?.cancel();
        throw new TransientFailure('the part of the file that was asked for is not to be had; starting over');
      }
    }
    for await (const chunk of response.body ?? []) {
      watch.refresh();
      if (received + (chunk as Uint8Array).length > remote.size) {
        await handle.truncate(0);
        throw new TransientFailure(`the server sends more than the ${remote.size} bytes that it announced`);
      }
      await handle.appendFile(chunk as Uint8Array).catch(throwWriteFailure(partial));
      received += (chunk as Uint8Array).length;
      onBytes(received, remote.size);
    }
    return received;
  } catch (error) {
    if (error instanceof BertQeError || error instanceof TransientFailure) throw error;
    const reason = stall.signal.aborted ? 'the connection went silent' : 'the connection was lost';
    throw new TransientFailure(`${reason} after ${received} bytes (${reasonOf(error)})`, {
      cause: error,
      progressed: received > started,
    });
  } finally {
    clearTimeout(watch);
  }
}

/** True where an answer continues the partial file, and is still of the same content. */
function continues(response: Response, url: string, remote: Content, received: number): boolean {
  // Other hosts have ETags of their own; only the hub's can be compared.
  const sameHost = response.url === '' || new URL(response.url).origin === new URL(url).origin;
  const etag = etagOf(response);
  if (sameHost && etag !== undefined && etag !== remote.etag) {
    throw new ChangedFile('the file changed on the server during the transfer');
  }
  if (response.status === 200) return received === 0;
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get('content-range') ?? '');
  return (
    response.status === 206 &&
    range !== null &&
    Number(range[1]) === received &&
    (range[2] === '*' || Number(range[2]) === remote.size)
  );
}

/** Checks a file against its hash: SHA-256 for large files, that of a Git blob for small ones. */
async function hashProblem(
  path: string,
  size: number,
  etag: string,
  file: RemoteFile,
): Promise<string | undefined> {
  const sha256 = file.sha256 ?? (/^[0-9a-f]{64}$/.test(etag) ? etag : undefined);
  if (sha256 !== undefined && (await hashFile(path)) !== sha256) return 'its SHA-256 is wrong';
  const isBlobId = file.blobId !== undefined && file.blobId === etag && /^[0-9a-f]{40}$/.test(etag);
  const gitHash = createHash('sha1').update(`blob ${size}\0`);
  if (isBlobId && (await hashFile(path, gitHash)) !== etag) return 'its Git hash is wrong';
  return undefined;
}
