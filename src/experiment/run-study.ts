import { join } from 'node:path';
import { withLock } from '../common/lock.js';
import { readStudy, type Study } from './file/read.js';
import { renderReport } from './report/render.js';
import { reportSettings } from './report/report.js';
import {
  runExperiment,
  writeFiles,
  type ExperimentOutcome,
  type RunExperimentOptions,
} from './run-experiment.js';
import { studyTables, type StudyResults } from './tables/study-tables.js';

export interface RunStudyOptions extends RunExperimentOptions {
  /** Folder of the results and of the work that a later run continues (`results/NAME`). */
  readonly out?: string | undefined;
}

export interface StudyOutcome {
  readonly results: StudyResults;
  /** Names of the steps that ran, as `COLLECTION: STEP`; the others were done before. */
  readonly ran: readonly string[];
  readonly report: string;
}

/**
 * Runs the missing steps of a file with one experiment, or with the same experiment on several collections. Each
 * collection then has its own folder, and the report beside them compares the collections.
 */
export async function runStudy(
  file: string,
  options: RunStudyOptions = {},
): Promise<ExperimentOutcome | StudyOutcome> {
  const study = await readStudy(file);
  const { out = join('results', study.name) } = options;
  if (!('experiments' in study)) return runExperiment(study, file, out, options);
  const lock = join(out, '.lock');
  return withLock(lock, { what: out, signal: options.signal }, () => runAll(study, file, out, options));
}

async function runAll(
  study: Study,
  file: string,
  out: string,
  options: RunExperimentOptions,
): Promise<StudyOutcome> {
  const outcomes = new Map<string, ExperimentOutcome>();
  for (const [name, experiment] of study.experiments) {
    const outcome = await runExperiment(experiment, study.files?.get(name) ?? file, join(out, name), {
      ...options,
      onProgress: (progress) => options.onProgress?.({ ...progress, step: `${name}: ${progress.step}` }),
    });
    outcomes.set(name, outcome);
  }
  const results = new Map([...outcomes].map(([name, outcome]) => [name, outcome.results]));
  await writeFiles(out, renderStudy(study, results));
  return {
    results,
    ran: [...outcomes].flatMap(([name, { ran }]) => ran.map((step) => `${name}: ${step}`)),
    report: join(out, 'report.html'),
  };
}

function renderStudy({ title, together }: Study, study: StudyResults): Map<string, string> {
  const tables = studyTables(study, together);
  const [first] = study.values();
  const collections = [...study].map(([name, { collection }]) => {
    const { documents, queries } = collection;
    return `${name} (${documents.toLocaleString('en-US')} documents, ${queries} queries)`;
  });
  const settings = [
    ['Collections', collections.join(', ')] as const,
    ...reportSettings(first).filter(([name]) => name !== 'Collection'),
  ];
  return renderReport({ title, settings, tables, figures: [] }, tables);
}
