import { failureError, missingError, reasonOf } from '../../common/errors.js';
import { systemCode } from '../../common/io-errors.js';
import { isTransientStatus, parseRetryAfter, TransientFailure } from '../../common/retry.js';
import type { HubSettings } from './settings.js';

const LONGEST_CHAIN = 10;

export interface FileMetadata {
  /** The name of the content: a SHA-256 for large files, else a Git blob id. */
  readonly etag: string;
  readonly size: number | undefined;
}

interface HubRequest {
  readonly method?: 'GET' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Ends a chain of redirects early. */
  readonly stopAt?: (response: Response) => boolean;
}

/** A client of a hub. It follows redirects without sending the token to other hosts, and explains failures. */
export class HubClient {
  private readonly origin: string;

  constructor(
    private readonly repository: string,
    private readonly settings: HubSettings,
  ) {
    this.origin = new URL(settings.endpoint).origin;
  }

  /** The web address of a file of the repository at a commit. */
  fileUrl(commit: string, path: string): string {
    const parts = path.split('/').map(encodeURIComponent).join('/');
    return `${this.settings.endpoint}/${this.repository}/resolve/${encodeURIComponent(commit)}/${parts}`;
  }

  /** The web address of the repository's description at a revision, with sizes and hashes of its files. */
  listingUrl(): string {
    const { endpoint, revision } = this.settings;
    return `${endpoint}/api/models/${this.repository}/revision/${encodeURIComponent(revision)}?blobs=true`;
  }

  /** The metadata of a file. Large files are redirected to other hosts; theirs is in the hub's own answer. */
  async metadata(url: string, file: string, signal: AbortSignal | undefined): Promise<FileMetadata> {
    const response = await this.request(url, {
      method: 'HEAD',
      stopAt: ({ headers }) => headers.has('x-linked-etag') && headers.has('x-linked-size'),
      signal: this.withTimeout(signal),
    });
    const etag = etagOf(response);
    if (etag === undefined) {
      throw failureError(`${url}: the server gives no ETag for ${file}: it is not a model hub`);
    }
    const size = response.headers.get('x-linked-size') ?? response.headers.get('content-length');
    return { etag, size: size !== null && /^\d+$/.test(size) ? Number(size) : undefined };
  }

  /** A signal that also fires when a short answer takes too long. */
  withTimeout(signal: AbortSignal | undefined): AbortSignal {
    const timeout = AbortSignal.timeout(this.settings.stallMs);
    return signal ? AbortSignal.any([signal, timeout]) : timeout;
  }

  /** Sends a request and returns the answer: a success (2xx, or 3xx where `stopAt` accepts it) or 416. */
  async request(url: string, request: HubRequest): Promise<Response> {
    let target = new URL(url);
    for (let hops = 0; hops <= LONGEST_CHAIN; hops++) {
      const response = await this.send(target, request);
      if (response.status < 300 || response.status === 416 || request.stopAt?.(response)) return response;
      await response.body?.cancel();
      if (response.status >= 400) throw this.failure(response, target);
      target = nextHop(response, target);
    }
    throw failureError(`${url}: redirected more than ${LONGEST_CHAIN} times`);
  }

  private async send(target: URL, { method = 'GET', headers, signal }: HubRequest): Promise<Response> {
    const { token } = this.settings;
    try {
      return await fetch(target, {
        method,
        redirect: 'manual',
        headers: {
          // Sizes and ranges are those of the file itself.
          'accept-encoding': 'identity',
          'user-agent': 'bert-qe',
          ...headers,
          ...(token !== undefined && target.origin === this.origin && { authorization: `Bearer ${token}` }),
        },
        ...(signal && { signal }),
      });
    } catch (error) {
      throw new TransientFailure(`cannot reach ${target.origin} (${deepReason(error)})`, { cause: error });
    }
  }

  private failure(response: Response, target: URL): Error {
    const { status, headers } = response;
    if (isTransientStatus(status)) {
      const reason = status === 429 ? 'too many requests' : 'the server is in trouble';
      return new TransientFailure(`${target.host} answers ${status} (${reason})`, {
        retryAfterMs: parseRetryAfter(headers.get('retry-after')),
      });
    }
    const { endpoint, token, revision } = this.settings;
    const page = `${endpoint}/${this.repository}`;
    if (status === 401) {
      const advice =
        token === undefined
          ? `if it is private or gated, set HF_TOKEN to a token from ${endpoint}/settings/tokens; if not, check the name`
          : `the token in HF_TOKEN is not valid or may not see it; make a new one at ${endpoint}/settings/tokens`;
      return missingError(`${this.repository}: the hub answers 401: ${advice}`);
    }
    if (status === 403) {
      const advice = `ask for access or accept its terms at ${page}, then set HF_TOKEN to a token of that account`;
      return missingError(`${this.repository}: the hub answers 403: ${advice}`);
    }
    if (status === 404) {
      const code = headers.get('x-error-code');
      const text =
        code === 'RevisionNotFound'
          ? `there is no revision "${revision}"; see the branches and tags at ${page}`
          : code === 'EntryNotFound'
            ? `there is no file ${decodeURIComponent(target.pathname)}`
            : `no such model on ${endpoint}; check the name (owner/name), or set HF_TOKEN if it is private`;
      return missingError(`${this.repository}: ${text}`);
    }
    return failureError(`${target.href}: the server answers ${status}`);
  }
}

/** The name of the content in an answer: that of the linked file where the answer is a redirect. */
export function etagOf(response: Response): string | undefined {
  const header = response.headers.get('x-linked-etag') ?? response.headers.get('etag');
  return header?.replace(/^W\//, '').replace(/^"|"$/g, '') || undefined;
}

/** The target of a redirect. */
export function nextHop(response: Response, from: URL): URL {
  const location = response.headers.get('location');
  if (location === null) throw failureError(`${from.href}: a redirect (${response.status}) to nowhere`);
  const next = new URL(location, from);
  if (from.protocol === 'https:' && next.protocol !== 'https:') {
    throw failureError(`${from.href}: refuses to follow a redirect from https to ${next.protocol}`);
  }
  return next;
}

/** The reason of a failed fetch, which is in the error's cause: its own message is only "fetch failed". */
function deepReason(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return reasonOf(cause) || systemCode(cause) || reasonOf(error);
}
