import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const child = fileURLToPath(new URL('./child.ts', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly lines: readonly string[];
}

/** Runs the experiment in a process; it gets the signal right after a line of progress. */
export function runChild(
  file: string,
  out: string,
  stop?: { signal: 'SIGKILL' | 'SIGINT'; at: string },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const args = ['--import', 'tsx', child, file, out, ...(stop ? [stop.signal, stop.at] : [])];
    const process_ = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines: string[] = [];
    let rest = '';
    process_.stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop()!;
      lines.push(...parts);
    });
    process_.on('error', reject);
    process_.on('close', (code, signal) => resolve({ code, signal, lines }));
  });
}
