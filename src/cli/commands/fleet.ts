import { usageError } from '../../common/errors.js';
import { clearFleet, fleetStatus, parseFleetAddress, retryFailed } from '../../remote/index.js';
import { rerankForFleet } from '../../runs/index.js';
import { defineCommand, type Io } from '../command.js';
import { integer, number, type OptionValues, text } from '../options.js';
import { counted, formatCount, formatDuration } from '../format.js';

const options = {
  redis: text('URL', 'Redis or Valkey server where the fleet meets; ?queue=NAME after it names the queue', {
    default: 'redis://127.0.0.1:6379',
  }),
  concurrency: integer('work: queries at a time; more than one where models are on other machines', {
    min: 1,
    default: 1,
  }),
  'lock-seconds': number('work: the queries of a worker that is not heard of for so long go to others', {
    min: 1,
    default: 30,
  }),
  'idle-seconds': number('work: leave when there has been nothing to do for so long (stay)', { min: 0.1 }),
} as const;

type Values = OptionValues<typeof options>;

const actions = ['work', 'status', 'retry', 'clear'] as const;

export const fleetCommand = defineCommand({
  name: 'fleet',
  summary: 'Work for runs that bert-qe rerank --fleet spreads over machines, or look after them.',
  positionals: [
    {
      name: 'ACTION',
      choices: actions,
      help: 'work: take queries; status: tell of the queue; retry: try failed ones again; clear: empty it',
    },
  ],
  options,
  examples: [
    'bert-qe fleet work --redis redis://queue-host:6379',
    'bert-qe rerank --fleet redis://queue-host:6379 --index /shared/gov2.index --queries topics.txt --out qe.run',
    'bert-qe fleet status --redis redis://queue-host:6379',
  ],
  async run({ options, positionals: [action], io }) {
    const address = parseFleetAddress(options.redis);
    switch (action) {
      case 'work':
        return work(options, io);
      case 'status': {
        const { failed, ...counts } = await fleetStatus(address);
        const parts = Object.entries(counts).map(([name, count]) => `${formatCount(count)} ${name}`);
        io.stdout.write(`${[...parts, `${formatCount(failed.length)} failed`].join(' · ')}\n`);
        for (const { key, attempts, reason } of failed) {
          io.stdout.write(`query ${key}: failed ${attempts} times: ${reason}\n`);
        }
        return;
      }
      case 'retry':
        io.stdout.write(`${formatCount(await retryFailed(address))} queries are tried again\n`);
        return;
      case 'clear':
        return clearFleet(address);
      default:
        throw usageError(`fleet has no action "${action}"; there are ${actions.join(', ')}.`);
    }
  },
});

async function work(options: Values, io: Io): Promise<void> {
  const idle = options.idleSeconds;
  let done = 0;
  let seconds = 0;
  await rerankForFleet(options.redis, {
    concurrency: options.concurrency,
    lockMs: 1000 * options.lockSeconds,
    signal: io.signal,
    idleMs: idle === undefined ? undefined : 1000 * idle,
    onFinished: (key, took) => {
      done++;
      seconds += took;
      io.stderr.write(`query ${key}: ${formatDuration(took)}\n`);
    },
    onFailed: (key, reason) => io.stderr.write(`query ${key} failed: ${reason}\n`),
  });
  io.stderr.write(`${counted(done, 'query')} in ${formatDuration(seconds)}\n`);
}
