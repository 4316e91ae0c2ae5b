import type { IncomingMessage } from 'node:http';
import { usageError } from '../../common/errors.js';
import type { RouteSpec } from '../routes.js';
import type { ApiKeys } from './keys.js';
import type { ProblemAnswer } from './problem.js';

/** Rules of who may use a server. */
export interface AccessOptions {
  /** Everybody may ask where there are none. */
  readonly keys: ApiKeys;
  /** The server listens on loopback only: foreign host names are refused. */
  readonly isLocal: boolean;
  /** The server is behind a proxy: the client's address is the last one in `X-Forwarded-For`. */
  readonly trustProxy: boolean;
  /** Origins whose pages may ask; `*` is any. */
  readonly cors: readonly string[];
}

/** The key owner or the address that a request counts for. */
export interface Caller {
  readonly client: string;
  readonly hasKey: boolean;
}

/** The most characters of an address. Clients that can bypass the proxy may write anything into its header. */
const addressCharacters = 64;

type Headers = Readonly<Record<string, string>>;

const noHeaders: Headers = {};

/** Decides from a request's head which client sent it and whether it is allowed. */
export class Access {
  constructor(private readonly options: AccessOptions) {
    const wrong = options.cors.find((origin) => !/^(\*|null|[a-z][a-z\d+.-]*:\/\/[^\s/?#@]+)$/.test(origin));
    if (wrong === undefined) return;
    throw usageError(
      `"${wrong}" is not an origin of pages; write it as in https://app.example, or * for any.`,
    );
  }

  callerOf({ headers, socket }: IncomingMessage): Caller {
    const { keys, trustProxy } = this.options;
    const owner = keys.owner(headers.authorization);
    if (owner !== undefined) return { client: owner, hasKey: true };
    const addresses = trustProxy ? String(headers['x-forwarded-for'] ?? '') : '';
    const last = addresses.split(',').at(-1)!.trim().slice(0, addressCharacters);
    return { client: last || (socket.remoteAddress ?? 'unknown'), hasKey: false };
  }

  /** The reason to refuse a request, if there is one. Paths without a route are files of the page, which need no key. */
  refusalOf(
    host: string | undefined,
    { hasKey }: Caller,
    route: RouteSpec | undefined,
  ): ProblemAnswer | undefined {
    const { keys, isLocal } = this.options;
    if (isLocal && !isLocalHost(host)) return foreignHost;
    if (!keys.isEmpty && !hasKey && route && !route.open) return noKey;
    return undefined;
  }

  /** The CORS headers of every answer to a page of this origin. */
  corsHeaders(origin: string | undefined): Headers {
    const { cors } = this.options;
    if (cors.length === 0) return noHeaders;
    const allowed = cors.includes('*') ? '*' : cors.find((known) => known === origin);
    return {
      ...(allowed === undefined ? {} : { 'Access-Control-Allow-Origin': allowed }),
      'Access-Control-Expose-Headers': 'Retry-After,Server-Timing,X-Request-Id',
      Vary: 'Origin',
    };
  }

  /** The answer to a preflight request, beside {@link corsHeaders}; undefined where no other origin may ask. */
  preflightHeaders({ headers }: IncomingMessage): Headers | undefined {
    if (this.options.cors.length === 0) return undefined;
    const asked = headers['access-control-request-headers'];
    return {
      'Access-Control-Allow-Methods': 'GET,HEAD,POST',
      ...(asked === undefined
        ? {}
        : { 'Access-Control-Allow-Headers': asked, Vary: 'Origin, Access-Control-Request-Headers' }),
    };
  }
}

const localNames = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * True for a `Host` that names this machine. A foreign name on a loopback server means that a web page had its own name
 * resolve to this machine in order to read from it (DNS rebinding).
 */
export function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && localNames.test(host);
}

export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || address.startsWith('127.');
}

const foreignHost: ProblemAnswer = {
  type: 'forbidden',
  message:
    'This server listens on loopback and answers only as localhost; start it with --host to serve others.',
};

const noKey: ProblemAnswer = {
  type: 'unauthorized',
  message: 'The API key is missing or wrong: send Authorization: Bearer KEY.',
  headers: { 'WWW-Authenticate': 'Bearer' },
};
