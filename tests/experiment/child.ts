import { runExperiment } from './run-experiment.js';
import { fakeModels } from './fake-model.js';

// An experiment in a process of its own, to be killed: child.ts FILE OUT [SIGNAL LINE].
const [file, out, signal, last] = process.argv.slice(2);

/** Reports progress, and sends itself the signal after the line that was named: another process would be late at times. */
function tell(line: string): void {
  process.stdout.write(`${line}\n`);
  if (line === last) process.kill(process.pid, signal);
}

const interrupt = new AbortController();
process.on('SIGINT', () => interrupt.abort());
try {
  const { ran } = await runExperiment(file, {
    out,
    openModel: fakeModels(signal === 'SIGINT' ? 10 : 0).open,
    signal: interrupt.signal,
    onProgress: ({ step, done }) => tell(`${step}: ${done}`),
  });
  process.stdout.write(`ran ${ran.length}\n`);
} catch (error) {
  process.stdout.write(`${(error as { code?: string }).code}\n`);
  process.exitCode = 130;
}
