import { homedir } from 'node:os';
import { join } from 'node:path';
import { usageError } from '../../common/errors.js';
import type { RetryPolicy } from '../../common/retry.js';

export interface FetchProgress {
  readonly file: string;
  /** Bytes of this file so far, including those of an earlier attempt. */
  readonly received: number;
  readonly size: number;
  /** The file's place among those to fetch, from 1. */
  readonly fileNumber: number;
  readonly fileCount: number;
}

export interface FetchModelOptions {
  /** Branch, tag or commit; default `main`. */
  readonly revision?: string;
  /** The cache; default `HF_HUB_CACHE`, else `HF_HOME/hub`, else `~/.cache/huggingface/hub`. */
  readonly cacheDir?: string;
  /** The hub; default `HF_ENDPOINT`, else the public hub. */
  readonly endpoint?: string;
  /** The access token, sent to the endpoint only, not to where it redirects; default `HF_TOKEN`. */
  readonly token?: string;
  /** Uses the cache only; default: true where `HF_HUB_OFFLINE` is set. */
  readonly offline?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: FetchProgress) => void;
  /** Attempts in a row that bring nothing (5), and pauses between them. */
  readonly retry?: Partial<RetryPolicy>;
  /** Milliseconds after which a silent connection is dropped (60,000). */
  readonly stallMs?: number;
}

/** The options, completed from the environment and with defaults. */
export type HubSettings = Required<Omit<FetchModelOptions, 'token' | 'signal' | 'onProgress'>> & {
  readonly token: string | undefined;
};

export function resolveSettings(options: FetchModelOptions): HubSettings {
  const { env } = process;
  return {
    revision: options.revision ?? 'main',
    cacheDir: options.cacheDir ?? defaultCache(env),
    endpoint: checkedEndpoint(options.endpoint ?? (env['HF_ENDPOINT'] || 'https://huggingface.co')),
    token: (options.token ?? env['HF_TOKEN']?.trim()) || undefined,
    offline: options.offline ?? /^(?:1|on|yes|true)$/i.test(env['HF_HUB_OFFLINE'] ?? ''),
    retry: { attempts: 5, firstPauseMs: 1000, longestPauseMs: 30_000, ...options.retry },
    stallMs: options.stallMs ?? 60_000,
  };
}

function defaultCache(env: NodeJS.ProcessEnv): string {
  if (env['HF_HUB_CACHE']) return env['HF_HUB_CACHE'];
  const home = env['HF_HOME'] || join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'huggingface');
  return join(home, 'hub');
}

function checkedEndpoint(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageError(`HF_ENDPOINT "${endpoint}" is not a web address; expected https://host`);
  }
  return url.href.replace(/\/+$/, '');
}
