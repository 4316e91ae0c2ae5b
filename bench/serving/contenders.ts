import { fork, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Loop, LoopOrder } from './closed-loop.js';
import { root } from './workload.js';

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  readonly process: ChildProcess;
}

/** Starts a server that prints its address first. */
export function startServer(args: readonly string[]): Promise<ServerProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    let heard = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
      if (heard.includes('\n')) resolve({ url: heard.trim(), process: child });
    });
    child.on('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}.`)));
  });
}

/** Ends a server and waits until it is gone. */
export async function stopServer({ process: child }: ServerProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.removeAllListeners('exit').once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

export const ourServer = (model: string, ...options: string[]) =>
  startServer([
    'bin/bert-qe.js',
    'serve',
    '--models',
    model,
    '--port',
    '0',
    '--log-level',
    'error',
    ...options,
  ]);

export const bareServer = (model: string) =>
  startServer(['--import', 'tsx', 'bench/serving/bare-server.ts', model]);

export const peerServer = (name: string, folder: string) =>
  startServer(['--import', 'tsx', 'bench/serving/transformers-js-server.ts', name, folder]);

/** The scorer without a server. */
export class AloneProcess {
  private constructor(private readonly child: ChildProcess) {}

  static async start(model: string): Promise<AloneProcess> {
    const child = fork(join(import.meta.dirname, 'alone.ts'), [model], {
      execArgv: ['--import', 'tsx'],
      cwd: root,
    });
    await new Promise((resolve) => child.once('message', resolve));
    return new AloneProcess(child);
  }

  get pid(): number {
    return this.child.pid!;
  }

  run(order: LoopOrder): Promise<Loop> {
    return new Promise((resolve) => {
      this.child.once('message', (loop) => resolve(loop as Loop));
      this.child.send(order);
    });
  }

  async end(): Promise<void> {
    if (!this.child.connected) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.send('end');
    await ended;
  }
}

/** Resident memory of a process in bytes; Linux reports it in /proc. */
export function residentBytes(server: ServerProcess): number {
  try {
    const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
    return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
