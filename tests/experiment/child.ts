import { runExperiment } from '../../src/experiment/index.js';
import { fakeModels } from './fake-model.js';

// An experiment in a process of its own, slow enough to be killed: child.ts FILE OUT DELAY.
const [file, out, delay] = process.argv.slice(2);
const interrupt = new AbortController();
process.on('SIGINT', () => interrupt.abort());
try {
  const { ran } = await runExperiment(file, {
    out,
    openModel: fakeModels(Number(delay)).open,
    signal: interrupt.signal,
    onProgress: ({ step, done }) => process.stdout.write(`${step}: ${done}\n`),
  });
  process.stdout.write(`ran ${ran.length}\n`);
} catch (error) {
  process.stdout.write(`${(error as { code?: string }).code}\n`);
  process.exitCode = 130;
}
