import { trainModel, type TrainingOptions } from '../../src/training/index.js';
import { merged, toyCollection } from './toy-task.js';

// A training in a process of its own, to be killed: child.ts MODEL OUT OPTIONS(JSON) [SIGNAL LINE].
const [model, out, options, signal, last] = process.argv.slice(2);

/** Reports progress, and sends itself the signal after the line that was named: another process would be late at times. */
function tell(line: string): void {
  process.stdout.write(`${line}\n`);
  if (line === last) process.kill(process.pid, signal);
}

const interrupt = new AbortController();
process.on('SIGINT', () => interrupt.abort());
const [training, validation] = [toyCollection('training', 12), toyCollection('validation', 6)];
try {
  await trainModel(
    {
      model,
      ...merged(training, validation),
      queries: training.queries,
      validationQueries: validation.queries,
      documentsKey: 'toy',
    },
    JSON.parse(options) as TrainingOptions,
    {
      out,
      resume: true,
      signal: interrupt.signal,
      onProgress: (progress) => {
        if (progress.phase === 'training') tell(`step ${progress.step}`);
        else tell(`passages ${progress.done}`);
      },
    },
  );
} catch (error) {
  process.stdout.write(`${(error as { code?: string }).code}: ${(error as Error).message}\n`);
  process.exitCode = (error as { exitCode?: number }).exitCode ?? 1;
}
