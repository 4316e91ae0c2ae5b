import { existsSync, statSync } from 'node:fs';
import { BertQeError, throwIfAborted } from '../../common/errors.js';
import { BertQE, rerankRun, type RerankedQuery } from '../../expansion/index.js';
import { standardStream, writeOutput } from '../../common/output.js';
import { defineCommand, type Io } from '../command.js';
import type { OptionValues } from '../options.js';
import { fleetEntries } from './rerank-fleet.js';
import { Journal, type JournalEntry, type JournalInputs } from './rerank-journal.js';
import { bertQeOptions, entryOf, methodOptions, type WantedOutputs } from './rerank-method.js';
import {
  modelInputs,
  modelOptions,
  namedModels,
  openRemoteModels,
  type NamedModels,
} from './rerank-models.js';
import { openSource, sourceOptions, type RerankSource } from './rerank-source.js';
import { RerankTotals } from './rerank-totals.js';
import { renderExplanation } from '../explanation-text.js';

const options = {
  ...sourceOptions,
  ...modelOptions,
  ...methodOptions,
  'top-k': {
    type: 'integer',
    min: 1,
    help: 'only the first places: exact, and what cannot change them is not computed',
  },
  explain: {
    type: 'string',
    value: 'FILE',
    help: 'a JSON line per query: chunks, weights, every score, ranks, cost',
  },
  fleet: {
    type: 'string',
    value: 'REDIS',
    help: 'spread the queries over the workers (bert-qe fleet work) that meet at redis://HOST:PORT',
  },
  out: { type: 'string', value: 'RUN', help: 'TREC run to write; resumed when it is interrupted (stdout)' },
  tag: { type: 'string', value: 'NAME', help: "name of the run, its last column (the models' name)" },
} as const;

type Values = OptionValues<typeof options>;

export const rerankCommand = defineCommand({
  name: 'rerank',
  summary:
    'Re-rank with BERT-QE: retrieve or read rankings, run the three phases, write a run or explain a query.',
  options,
  examples: [
    'bert-qe rerank --index scifact.index --query "vitamin D and bone density" --top-k 10',
    'bert-qe rerank --documents articles.jsonl --query "why do bridges sway" --models TTT --top-k 5',
    'bert-qe rerank --index scifact.index --queries queries.jsonl --run dph-kl.run --explain why.jsonl --out qe.run',
    'bert-qe rerank --engine opensearch --url http://localhost:9200 --index scifact --query "vitamin D" --top-k 10',
  ],
  async run({ options, io }) {
    const outputs = chooseOutputs(options);
    const models = await namedModels(options);
    const source = await openSource(options, options.depth, io);
    try {
      const inputs = { ...source.inputs, ...(await modelInputs(models)), ...plainInputs(options, models) };
      const journal = outputs.journal === undefined ? undefined : await Journal.open(outputs.journal, inputs);
      const job = { options, outputs, models, source, inputs, io };
      try {
        if (journal) await withJournal(job, journal);
        else await straight(job);
      } finally {
        await journal?.close();
      }
    } finally {
      await source.close();
    }
  },
});

interface Outputs {
  /** A single query without `--out` is shown to be read, and there is no run. */
  readonly isShown: boolean;
  readonly run: string | undefined;
  readonly explanations: string | undefined;
  /** Beside the file that is made; none when nothing is. */
  readonly journal: string | undefined;
}

interface Job {
  readonly options: Values;
  readonly outputs: Outputs;
  readonly models: NamedModels;
  readonly source: RerankSource;
  readonly inputs: JournalInputs;
  readonly io: Io;
}

function chooseOutputs({ out, explain, query }: Values): Outputs {
  // One query without a place to go is meant to be read.
  const run = out ?? (query === undefined ? standardStream : undefined);
  if (run === standardStream && explain === standardStream) {
    throw new BertQeError(
      'usage',
      '--out and --explain cannot both go to standard output; name a file for one.',
    );
  }
  const file = [run, explain].find((path) => path !== undefined && isReplaceable(path));
  const isShown = run === undefined && explain !== standardStream;
  return { isShown, run, explanations: explain, journal: file && `${file}.journal` };
}

/** A file, or a place where one can be made: not standard output, not a pipe or a device. */
function isReplaceable(path: string): boolean {
  return path !== standardStream && (!existsSync(path) || statSync(path).isFile());
}

/** Everything but files and models that changes what comes out. */
function plainInputs(options: Values, { name, expansion }: NamedModels): JournalInputs {
  const names = [...Object.keys(methodOptions), 'top-k', 'precision', 'device'] as (keyof Values)[];
  return {
    ...Object.fromEntries(names.map((option) => [`--${option}`, String(options[option])])),
    expansion: String(expansion),
    '--explain': String(options.explain !== undefined),
    '--tag': options.tag ?? name,
  };
}

/** Finished queries go into the journal; when all are there, the files are made of it. */
async function withJournal(job: Job, journal: Journal): Promise<void> {
  const { outputs, io } = job;
  if (journal.finished > 0) {
    const noun = journal.finished === 1 ? 'query' : 'queries';
    io.stderr.write(`Going on after ${journal.finished} finished ${noun} (${journal.path}).\n`);
  }
  if (journal.finished < job.source.total) {
    for await (const entry of unfinished(job, journal)) await journal.append(entry);
  }
  if (outputs.run !== undefined) await writeOutput(outputs.run, parts(journal, 'run'), io.stdout);
  if (outputs.explanations !== undefined) {
    await writeOutput(outputs.explanations, parts(journal, 'explanation'), io.stdout);
  }
  await journal.discard();
}

async function* parts(journal: Journal, part: 'run' | 'explanation'): AsyncGenerator<string> {
  for await (const entry of journal.entries()) yield entry[part] ?? '';
}

/** To standard output, query by query; what goes elsewhere, to a pipe or a device, follows at the end. */
async function straight(job: Job): Promise<void> {
  const { run, explanations } = job.outputs;
  const [first, second] =
    explanations === standardStream ? (['explanation', 'run'] as const) : (['run', 'explanation'] as const);
  const paths = { run, explanation: explanations };
  const later: string[] = [];
  const texts = async function* (): AsyncGenerator<string> {
    for await (const entry of unfinished(job)) {
      yield entry[first] ?? '';
      if (paths[second] !== undefined) later.push(entry[second] ?? '');
    }
  };
  await writeOutput(paths[first] ?? standardStream, texts(), job.io.stdout);
  if (paths[second] !== undefined) await writeOutput(paths[second], later, job.io.stdout);
}

/** The queries that are not finished yet, run here or by a fleet. */
function unfinished(job: Job, journal?: Journal): AsyncGenerator<JournalEntry> {
  const { options, outputs, models, source, io } = job;
  if (options.fleet === undefined) return rerankAll(job, journal);
  if (outputs.isShown) {
    throw new BertQeError(
      'usage',
      '--fleet is for runs: give --out RUN, or leave it out to look at one query.',
    );
  }
  const totals = new RerankTotals(io, models.name, source.total, journal?.finished ?? 0);
  return fleetEntries(options.fleet, {
    options,
    tag: options.tag ?? models.name,
    wanted: wantedOf(outputs),
    source,
    inputs: job.inputs,
    isFinished: (query) => journal?.has(query) ?? false,
    totals,
    signal: io.signal,
  });
}

/** Runs the queries that are not finished yet on this machine. */
async function* rerankAll(
  { options, outputs, models, source, io }: Job,
  journal?: Journal,
): AsyncGenerator<JournalEntry> {
  const totals = new RerankTotals(io, models.name, source.total, journal?.finished ?? 0);
  const { isShown } = outputs;
  const opened = await openRemoteModels(models, io.signal);
  const bertQe = await BertQE.load({
    models: opened.models,
    device: options.device,
    precision: options.precision,
    ...bertQeOptions(options),
    expansion: models.expansion,
  }).catch(async (error: unknown) => {
    await opened.close();
    throw error;
  });
  try {
    const rankings = async function* () {
      for await (const ranking of source.rankings()) if (!journal?.has(ranking.query)) yield ranking;
    };
    const reranked = rerankRun(bertQe, source.queries, rankings(), source.store, {
      signal: io.signal,
      explain: isShown || outputs.explanations !== undefined,
      onProgress: (progress) => totals.progress(progress),
      ...(options['top-k'] === undefined ? {} : { topK: options['top-k'] }),
    });
    for await (const query of reranked) {
      throwIfAborted(io.signal);
      if (isShown) io.stdout.write(readable(query, options, io));
      yield await entryOf(query, options.tag ?? models.name, wantedOf(outputs));
      totals.add(query.cost, query.ranking.length);
    }
    totals.summarise();
  } finally {
    totals.done();
    await bertQe.close();
    await opened.close();
  }
}

function wantedOf({ run, explanations }: Outputs): WantedOutputs {
  return { run: run !== undefined, explanations: explanations !== undefined };
}

function readable({ explanation }: RerankedQuery, options: Values, io: Io): string {
  const stdout = io.stdout as NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  return renderExplanation(explanation!, {
    width: stdout.columns ?? 100,
    colour: stdout.isTTY === true && !process.env['NO_COLOR'],
    limit: options['top-k'] ?? 10,
  });
}
