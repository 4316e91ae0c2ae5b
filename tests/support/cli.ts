import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const launcher = fileURLToPath(new URL('../../bin/bert-qe.js', import.meta.url));

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
  /** What Node runs: flags, and another launcher than the package's own. */
  readonly program?: readonly string[];
}

/** Runs the real launcher in a process of its own, as a user would. */
export function bertQe(args: readonly string[], options: RunOptions = {}) {
  const { program = [launcher], cwd } = options;
  return new Promise<CliResult>((resolve, reject) => {
    const child = spawn(process.execPath, [...program, ...args], { cwd, stdio: 'pipe' });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    // A command that fails early does not read its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
  });
}
