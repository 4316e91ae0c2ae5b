import { boundedText } from '../../common/bounded-text.js';
import { BertQeError, failureError, reasonOf } from '../../common/errors.js';
import { TransientFailure } from '../../common/retry.js';
import { isJsonObject } from '../../common/json.js';
import { parseJsonObject } from '../json.js';
import type { HubClient } from './client.js';

/** A file of a repository, as the hub lists it. */
export interface RemoteFile {
  readonly path: string;
  readonly size?: number;
  /** Known for large files. */
  readonly sha256?: string;
  /** Git's hash, known for small files. */
  readonly blobId?: string;
}

export interface Listing {
  /** The commit that the revision stands for. */
  readonly commit: string;
  readonly files: readonly RemoteFile[];
}

/** The most bytes of a listing; repositories of thousands of files take some megabytes. */
const LISTING_BYTES = 64 * 1024 * 1024;

/** Lists the files of a revision. */
export async function listRepository(client: HubClient, signal: AbortSignal | undefined): Promise<Listing> {
  const url = client.listingUrl();
  const response = await client.request(url, { signal: client.withTimeout(signal) });
  const text = await boundedText(response, LISTING_BYTES, url).catch((error: unknown) => {
    if (error instanceof BertQeError) throw error;
    throw new TransientFailure(`the connection was lost (${reasonOf(error)})`, { cause: error });
  });
  const { sha, siblings } = parseJsonObject(text, url);
  if (typeof sha !== 'string' || !/^[\w-]{1,64}$/.test(sha) || !Array.isArray(siblings)) {
    throw failureError(`${url}: the answer names no commit and files: it is not a model hub`);
  }
  return { commit: sha, files: siblings.flatMap((sibling) => remoteFile(sibling) ?? []) };
}

function remoteFile(sibling: unknown): RemoteFile | undefined {
  if (!isJsonObject(sibling)) return undefined;
  const { rfilename: path, size, blobId, lfs } = sibling;
  // Names become paths on this disk and must not lead out of the snapshot.
  if (typeof path !== 'string' || !/^[\w][\w.+-]*(?:\/[\w][\w.+-]*)*$/.test(path)) return undefined;
  const sha256 = isJsonObject(lfs) ? lfs['sha256'] : undefined;
  return {
    path,
    ...(typeof size === 'number' && { size }),
    ...(typeof sha256 === 'string' && { sha256 }),
    ...(typeof blobId === 'string' && sha256 === undefined && { blobId }),
  };
}
