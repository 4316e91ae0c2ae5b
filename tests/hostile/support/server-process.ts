import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { ServerOptions } from '../../../src/server/index.js';

/** Measurements of a server since they were last asked for. */
export interface Measured {
  /** The longest time that the serving thread was held, in milliseconds of CPU. */
  readonly longest: number;
  readonly rss: number;
  /** Bytes of the heap and of buffers. */
  readonly held: number;
}

/** A server in a process of its own. */
export class ServerProcess {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(options: Partial<ServerOptions> = {}): Promise<ServerProcess> {
    const child = fork(fileURLToPath(new URL('serve.mjs', import.meta.url)), [JSON.stringify(options)], {
      execArgv: ['--expose-gc', '--max-old-space-size=512'],
    });
    const started = once(child, 'message');
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`The server ended with ${code}.`);
    });
    ended.catch(() => {});
    const [{ url }] = (await Promise.race([started, ended])) as [{ url: string }];
    return new ServerProcess(url, child);
  }

  get pid(): number {
    return this.child.pid!;
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Measures; for `memory`, garbage is collected first. */
  async measure(what: 'block' | 'memory'): Promise<Measured> {
    if (!this.isAlive) throw new Error('The server has ended.');
    this.child.send(what);
    const [measured] = (await once(this.child, 'message')) as [Measured];
    return measured;
  }

  /** The memory, once no more than so much is used; after half a minute, whatever it is. */
  async memoryUpTo(bytes: number): Promise<Measured> {
    for (const end = performance.now() + 30_000; ;) {
      const measured = await this.measure('memory');
      if (measured.rss <= bytes || performance.now() > end) return measured;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }

  /** Sends a body; 0 stands for a connection that was closed before an answer. */
  post(path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Answered> {
    return new Promise((resolve) => {
      const bytes = Buffer.from(body);
      const sending = request(
        `${this.url}${path}`,
        {
          method: 'POST',
          agent: false,
          headers: { 'Content-Type': 'application/json', 'Content-Length': bytes.length, ...headers },
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          const end = () =>
            resolve({ status: answer.statusCode!, body: Buffer.concat(chunks).toString('utf8') });
          answer.on('end', end).on('error', end);
        },
      );
      // A refused body may still be on its way when the connection is closed.
      sending.on('socket', (socket) => socket.on('error', () => undefined));
      sending.on('error', () => resolve({ status: 0, body: '' }));
      sending.end(bytes);
    });
  }

  async stop(): Promise<void> {
    if (!this.isAlive) return;
    const ended = once(this.child, 'exit');
    this.child.send('stop');
    await ended;
  }
}

export interface Answered {
  readonly status: number;
  readonly body: string;
}
