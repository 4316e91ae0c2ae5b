import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TrainingOptions } from '../../src/training/index.js';

const child = fileURLToPath(new URL('./child.ts', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly lines: readonly string[];
}

export interface ChildCall {
  readonly model: string;
  readonly out: string;
  readonly options: TrainingOptions;
  /** The process gets this signal right after this line of progress. */
  readonly stop?: { readonly signal: 'SIGKILL' | 'SIGINT'; readonly at: string };
  /** Largest file it may write, in blocks of 1 KiB: a disk that is full. */
  readonly fileLimit?: number;
}

/** Trains in a process of its own. */
export function runChild({ model, out, options, stop, fileLimit }: ChildCall): Promise<Ended> {
  const node = [process.execPath, '--import', 'tsx', child, model, out, JSON.stringify(options)];
  if (stop) node.push(stop.signal, stop.at);
  const [command, ...args] =
    fileLimit === undefined
      ? node
      : ['bash', '-c', `ulimit -f ${fileLimit}; trap '' XFSZ; exec "$0" "$@"`, ...node];
  return new Promise((resolve, reject) => {
    const running = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines: string[] = [];
    let rest = '';
    running.stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop()!;
      lines.push(...parts);
    });
    running.on('error', reject);
    running.on('close', (code, signal) => resolve({ code, signal, lines }));
  });
}
