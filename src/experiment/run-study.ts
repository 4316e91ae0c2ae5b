import { join } from 'node:path';
import { readStudy, type Study } from './file/read.js';
import { renderReport } from './report/render.js';
import { settingsOf } from './report/settings.js';
import { carryOut, writeAll, type ExperimentOutcome, type RunExperimentOptions } from './run-experiment.js';
import { studyTables, type StudyResults } from './tables/study-tables.js';

/** What came of a study, by name of the collection. */
export interface StudyOutcome {
  readonly results: StudyResults;
  /** Steps that had to run, `COLLECTION: STEP`; the others were done before. */
  readonly ran: readonly string[];
  /** The page to look at. */
  readonly report: string;
}

/**
 * Runs what is missing of a file that describes one experiment, or the same one on several collections: each of these
 * then has a folder of its own, and the report beside them sets them side by side.
 */
export async function runStudy(
  file: string,
  options: RunExperimentOptions,
): Promise<ExperimentOutcome | StudyOutcome> {
  const study = await readStudy(file);
  if (!('experiments' in study)) return carryOut(study, file, options);
  const outcomes = new Map<string, ExperimentOutcome>();
  for (const [name, experiment] of study.experiments) {
    const outcome = await carryOut(experiment, file, {
      ...options,
      out: join(options.out, name),
      onProgress: (progress) => options.onProgress?.({ ...progress, step: `${name}: ${progress.step}` }),
    });
    outcomes.set(name, outcome);
  }
  const results = new Map([...outcomes].map(([name, outcome]) => [name, outcome.results]));
  await writeAll(options.out, renderStudy(study, results));
  return {
    results,
    ran: [...outcomes].flatMap(([name, { ran }]) => ran.map((step) => `${name}: ${step}`)),
    report: join(options.out, 'report.html'),
  };
}

function renderStudy({ title }: Study, study: StudyResults): Map<string, string> {
  const tables = studyTables(study);
  const [first] = study.values();
  const collections = [...study].map(
    ([
      name,
      {
        collection: { documents, queries },
      },
    ]) => `${name} (${documents.toLocaleString('en-US')} documents, ${queries} queries)`,
  );
  const settings = [
    ['Collections', collections.join(', ')] as const,
    ...settingsOf(first).filter(([name]) => name !== 'Collection'),
  ];
  return renderReport({ title, settings, tables, figures: [] }, tables);
}
