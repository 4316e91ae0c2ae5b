import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** One way in which the server misbehaves, once, when a file is asked for. */
export type Fault =
  | { readonly kind: 'drop'; readonly after: number }
  /** Ends as if all were well, without having stated a length. */
  | { readonly kind: 'truncate'; readonly after: number }
  | { readonly kind: 'stall'; readonly after: number }
  | { readonly kind: 'empty' }
  /** More than was announced, and more, until the connection is closed. */
  | { readonly kind: 'endless' }
  | { readonly kind: 'ignoreRange' }
  | { readonly kind: 'wrongRange' }
  | { readonly kind: 'corrupt' }
  | { readonly kind: 'replace'; readonly content: Buffer }
  | { readonly kind: 'status'; readonly status: number; readonly headers?: Record<string, string> };

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly range: string | undefined;
  readonly authorization: string | undefined;
}

/** A hub on loopback that serves one model as the real one does, and fails on request. */
export class FakeHub {
  readonly requests: Seen[] = [];
  commit = 'c'.repeat(40);
  /** Faults of GETs by file, used up in order; under '*' for the listing. */
  readonly faults = new Map<string, Fault[]>();
  /** Bytes of each file that have arrived, as the client tells: connections are dropped when it has what was sent. */
  readonly arrived = new Map<string, number>();
  /** Files served from a second host, as large files are. */
  readonly linked = new Set<string>();
  /** A status for everything. */
  refuse: { status: number; headers?: Record<string, string> } | undefined;
  private readonly hub = createServer((request, response) => this.answer(request, response));
  private readonly cdn = createServer((request, response) => this.answerAsCdn(request, response));
  readonly cdnRequests: Seen[] = [];

  private constructor(
    readonly repository: string,
    readonly files: Map<string, Buffer>,
  ) {}

  static async start(files: Record<string, string | Buffer>, repository = 'acme/ranker'): Promise<FakeHub> {
    const entries = Object.entries(files).map(([name, data]) => [name, Buffer.from(data)] as const);
    const hub = new FakeHub(repository, new Map(entries));
    await Promise.all([listen(hub.hub), listen(hub.cdn)]);
    onTestFinished(() => hub.stop());
    return hub;
  }

  get endpoint(): string {
    return address(this.hub);
  }

  stop(): void {
    for (const server of [this.hub, this.cdn]) {
      server.closeAllConnections();
      server.close();
    }
  }

  gets(file: string): Seen[] {
    return this.requests.filter(({ method, path }) => method === 'GET' && path.endsWith(`/${file}`));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const seen = note(request);
    this.requests.push(seen);
    if (this.refuse) return end(response, this.refuse.status, this.refuse.headers);
    const [path] = seen.path.split('?');
    if (path.startsWith('/api/models/')) return this.list(response);
    const file = path.replace(`/${this.repository}/resolve/${this.commit}/`, '');
    const content = this.files.get(file);
    if (content === undefined) return end(response, 404, { 'x-error-code': 'EntryNotFound' });
    if (!this.linked.has(file)) return this.send(request, response, file, { etag: `"${gitHash(content)}"` });
    end(response, 302, {
      location: `${address(this.cdn)}/${file}?signed=1`,
      'x-linked-etag': `"${sha256(content)}"`,
      'x-linked-size': String(content.length),
    });
  }

  private answerAsCdn(request: IncomingMessage, response: ServerResponse): void {
    const seen = note(request);
    this.cdnRequests.push(seen);
    this.send(request, response, seen.path.slice(1).split('?')[0], { etag: '"of-the-cdn"' });
  }

  private list(response: ServerResponse): void {
    const fault = this.faults.get('*')?.shift();
    if (fault?.kind === 'status') return end(response, fault.status, fault.headers);
    if (fault?.kind === 'endless') return sendEndlessly(response);
    const siblings = [...this.files].map(([rfilename, data]) => ({
      rfilename,
      size: data.length,
      ...(this.linked.has(rfilename)
        ? { lfs: { sha256: sha256(data), size: data.length } }
        : { blobId: gitHash(data) }),
    }));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: this.repository, sha: this.commit, siblings }));
  }

  private send(
    request: IncomingMessage,
    response: ServerResponse,
    file: string,
    headers: Record<string, string>,
  ): void {
    const content = this.files.get(file)!;
    if (request.method === 'HEAD')
      return end(response, 200, { ...headers, 'content-length': String(content.length) });
    const fault = this.faults.get(file)?.shift();
    if (fault?.kind === 'status') return end(response, fault.status, fault.headers);
    if (fault?.kind === 'replace') {
      this.files.set(file, fault.content);
      return this.send(request, response, file, { etag: `"${gitHash(fault.content)}"` });
    }
    const from =
      fault?.kind === 'ignoreRange'
        ? 0
        : Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    if (from >= content.length) return end(response, 416);
    const body = Buffer.from(content.subarray(from));
    if (from > 0) {
      const stated = fault?.kind === 'wrongRange' ? 0 : from;
      headers = { ...headers, 'content-range': `bytes ${stated}-${content.length - 1}/${content.length}` };
    }
    if (fault?.kind === 'corrupt') body[body.length - 1] ^= 1;
    const length = fault?.kind === 'empty' ? 0 : body.length;
    if (fault?.kind !== 'truncate' && fault?.kind !== 'endless')
      headers = { ...headers, 'content-length': String(length) };
    response.writeHead(from > 0 ? 206 : 200, headers);
    if (fault?.kind === 'empty') return void response.end();
    if (fault?.kind === 'endless') return sendEndlessly(response);
    if (fault?.kind === 'truncate') return void response.end(body.subarray(0, fault.after));
    if (fault?.kind === 'stall') return void response.write(body.subarray(0, fault.after));
    if (fault?.kind === 'drop') {
      response.write(body.subarray(0, fault.after));
      const watch = setInterval(() => {
        if ((this.arrived.get(file) ?? 0) < from + fault.after) return;
        clearInterval(watch);
        response.destroy();
      }, 5);
      response.on('close', () => clearInterval(watch));
      return;
    }
    response.end(body);
  }
}

export function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

export function gitHash(data: Buffer): string {
  return createHash('sha1').update(`blob ${data.length}\0`).update(data).digest('hex');
}

function note({ method = '', url = '', headers }: IncomingMessage): Seen {
  return { method, path: url, range: headers.range, authorization: headers.authorization };
}

function end(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, headers).end();
}

/** Sends spaces for as long as they are taken. */
export function sendEndlessly(response: ServerResponse): void {
  const spaces = Buffer.alloc(1 << 20, ' ');
  const more = (): void => {
    while (!response.destroyed && response.write(spaces));
  };
  response.on('drain', more);
  more();
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}

function address(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
