import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BertQeError, missingError, throwIfAborted } from '../../common/errors.js';
import { throwReadFailure } from '../../common/io-errors.js';
import type { JsonObject } from '../../common/json.js';
import { retry, TransientFailure } from '../../common/retry.js';
import { parseJsonObject } from '../json.js';
import { ModelCache } from './cache.js';
import { chooseFiles, configFile } from './choose-files.js';
import { HubClient } from './client.js';
import { downloadFile } from './download.js';
import { type Listing, listRepository } from './listing.js';
import { type FetchModelOptions, type HubSettings, resolveSettings } from './settings.js';

interface FetchedModel {
  /** A folder that holds the model's files, for `loadTokenizer`, `openCheckpoint` and the scorer. */
  readonly folder: string;
  readonly commit: string;
  /** Paths inside the folder. */
  readonly files: readonly string[];
  /** True where only the cache was used: offline, or the hub could not be reached. */
  readonly fromCache: boolean;
}

/**
 * Fetches a model from a Hugging Face style hub into the usual cache, or finds it there: its config, its
 * tokenizer and one form of its weights. Files in the cache are not fetched again.
 */
export async function fetchModel(repository: string, options: FetchModelOptions = {}): Promise<FetchedModel> {
  const settings = resolveSettings(options);
  const cache = new ModelCache(repository, settings.cacheDir);
  if (settings.offline) {
    const cached = await findCached(cache, repository, settings);
    if (cached !== undefined) return cached;
    throw missingError(
      `${repository}: revision "${settings.revision}" is not in the cache ${settings.cacheDir}; ` +
        'unset HF_HUB_OFFLINE and fetch it once',
    );
  }
  const client = new HubClient(repository, settings);
  let listing: Listing;
  try {
    listing = await retry(() => listRepository(client, options.signal), {
      what: repository,
      policy: settings.retry,
      signal: options.signal,
    });
  } catch (error) {
    // A model in the cache serves while the hub cannot be reached.
    const unreachable = error instanceof BertQeError && error.cause instanceof TransientFailure;
    const cached = unreachable ? await findCached(cache, repository, settings) : undefined;
    if (cached === undefined) throw error;
    return cached;
  }
  const { signal, onProgress } = options;
  const { commit, files } = listing;
  const paths = files.map((file) => file.path);
  const wanted = [configFile(paths, repository)];
  const folder = cache.snapshotFolder(commit);
  for (let i = 0; i < wanted.length; i++) {
    throwIfAborted(signal);
    const path = wanted[i];
    const file = files.find((candidate) => candidate.path === path)!;
    const onBytes = (received: number, size: number): void =>
      onProgress?.({ file: path, received, size, fileNumber: i + 1, fileCount: wanted.length });
    const etag = await downloadFile({ client, cache, settings, commit, file, signal, onBytes });
    await cache.link(commit, path, etag);
    // The config decides which other files are needed.
    if (i === 0) wanted.push(...chooseFiles(paths, await configIn(folder, path), repository));
  }
  await cache.saveRevision(settings.revision, commit);
  return { folder, commit, files: wanted, fromCache: false };
}

/** A complete snapshot of the revision in the cache. */
async function findCached(
  cache: ModelCache,
  repository: string,
  { revision }: HubSettings,
): Promise<FetchedModel | undefined> {
  const commit = await cache.commitOf(revision);
  if (commit === undefined) return undefined;
  const folder = cache.snapshotFolder(commit);
  const paths = await cache.snapshotFiles(commit);
  try {
    const config = configFile(paths, repository);
    const files = [config, ...chooseFiles(paths, await configIn(folder, config), repository)];
    return { folder, commit, files, fromCache: true };
  } catch (error) {
    if (error instanceof BertQeError && error.code === 'missing') return undefined;
    throw error;
  }
}

async function configIn(folder: string, name: string): Promise<JsonObject> {
  const file = join(folder, name);
  return parseJsonObject(await readFile(file, 'utf8').catch(throwReadFailure(file)), file);
}
