import { availableParallelism } from 'node:os';
import type { Qrels, Query, Ranking, Run } from '../../collection/index.js';
import { closing } from '../../common/closing.js';
import { usageError } from '../../common/errors.js';
import { evaluate, formatReport } from '../../evaluation/index.js';
import { BertQE, interpolate, type Explanation } from '../../expansion/index.js';
import { DivergenceFeedback, type Index, KL, Searcher } from '../../retrieval/index.js';
import { rerankRun } from '../../runs/index.js';
import { defineCommand, hasColours, type Io } from '../command.js';
import { openDemo } from '../demo-collection.js';
import { renderExplanation } from '../explanation-text.js';
import { formatCount, formatDuration } from '../format.js';
import { OPTIONS } from '../option-table.js';
import { text } from '../options.js';
import { Progress } from '../progress.js';
import { reportOn } from './evaluate.js';

/** Articles that are re-ranked per query. */
const DEPTH = 30;

export const demoCommand = defineCommand({
  name: 'demo',
  summary: 'Retrieve, re-rank, explain and evaluate on the small collection that comes with the package.',
  options: {
    query: text('ID', 'the query to explain, 1 to 40', { default: '7' }),
    models: { ...OPTIONS.models, value: 'LETTERS', help: 'model sizes of the three phases' },
  },
  examples: ['bert-qe demo', 'bert-qe demo --query 11'],
  async run({ options, io }) {
    const started = performance.now();
    const say = (text: string) => io.stdout.write(`${text}\n`);
    await closing(openDemo(io.signal), async ({ index, queries, qrels }) => {
      const shown = queries.find(({ id }) => id === options.query);
      if (!shown) throw usageError(`The demo has queries 1 to ${queries.length}, not ${options.query}.`);
      const documents = formatCount(index.statistics.documents);
      say(
        `The collection: ${documents} short articles on fourteen subjects and ${queries.length} queries (demo/).`,
      );

      const runs = await rank(index, queries, options.models, io);
      const explanation = runs.explanations.get(shown.id)!;
      say(`\n── One query, explained ${'─'.repeat(76)}\n`);
      say(renderExplanation(explanation, { limit: 6, colour: hasColours(io.stdout) }));
      say(
        'weight, rel(q,c): how much a chunk counts, and how relevant to the query it is by itself; rel(q,d), rel(C,d): the\n' +
          "document's best passage against the query and against the chunks; moved: first stage → query only → with chunks.",
      );

      say(`\n── All ${queries.length} queries, evaluated ${'─'.repeat(71)}\n`);
      say(table(runs.systems, qrels, hasColours(io.stdout)));
      say(`\n${cost([...runs.explanations.values()])}`);
      say(
        `All of it took ${formatDuration((performance.now() - started) / 1000)} on ${availableParallelism()} cores.\n`,
      );
      say(
        'Next:\n' +
          '  node bin/bert-qe.js demo --query 11                          explain another query\n' +
          '  node bin/bert-qe.js index YOUR-COLLECTION --out my.index     Markdown, HTML, CSV, JSONL, TREC and more\n' +
          '  node bin/bert-qe.js rerank --index my.index --query "..."    retrieve, then re-rank',
      );
    });
  },
});

/** The runs of the demo by the names of their systems, and the explanations by query. */
interface DemoRuns {
  readonly systems: ReadonlyMap<string, Run>;
  readonly explanations: ReadonlyMap<string, Explanation>;
}

/** Ranks all queries four ways: DPH, DPH+KL, and on top of that the re-ranker without and with expansion. */
async function rank(index: Index, queries: readonly Query[], models: string, io: Io): Promise<DemoRuns> {
  const dph = await searchAll(new Searcher(index), queries);
  const dphKl = await searchAll(new Searcher(index, { feedback: new DivergenceFeedback(KL) }), queries);
  const bertQe = await BertQE.load({ depth: DEPTH, models });
  const progress = new Progress(io, 'queries');
  const maxP = new Map<string, Ranking>();
  const expanded = new Map<string, Ranking>();
  const explanations = new Map<string, Explanation>();
  try {
    for await (const { query, ranking, explanation } of rerankRun(bertQe, queries, dphKl, index, {
      explain: true,
      signal: io.signal,
    })) {
      explanations.set(query.id, explanation!);
      expanded.set(query.id, ranking);
      maxP.set(query.id, withoutExpansion(explanation!, bertQe.settings.beta));
      progress.update(explanations.size, explanations.size / queries.length, 'phases one to three');
    }
  } finally {
    progress.done();
    await bertQe.close();
  }
  const systems = new Map([
    ['DPH', dph],
    ['DPH+KL', dphKl],
    ['BERT, query only', maxP],
    ['BERT-QE', expanded],
  ]);
  return { systems, explanations };
}

async function searchAll(searcher: Searcher, queries: readonly Query[]): Promise<Run> {
  const run = new Map<string, Ranking>();
  for (const query of queries) run.set(query.id, await searcher.search(query, { depth: 100 }));
  return run;
}

/** The ranking of the MaxP baseline, from the same scores: rel(q,d) instead of M(q,d). */
function withoutExpansion({ documents }: Explanation, beta: number) {
  return documents
    .map(({ id, queryScore, initial }) => ({
      id,
      score: interpolate(queryScore ?? 0, initial ?? undefined, beta),
    }))
    .sort((a, b) => b.score - a.score);
}

function table(systems: ReadonlyMap<string, Run>, qrels: Qrels, colour: boolean): string {
  const baselines = new Set(['DPH+KL', 'BERT, query only']);
  const runs = [...systems].map(([file, run]) => ({
    file,
    evaluation: evaluate(run, qrels, { measures: ['P@5', 'nDCG@10', 'nDCG@20', 'AP'] }),
    isBaseline: baselines.has(file),
  }));
  const report = reportOn(runs, { test: 't', correction: 'none', perQuery: false });
  return formatReport(report, 'table', { colour }).trimEnd();
}

function cost(explanations: readonly Explanation[]): string {
  const total = (of: (explanation: Explanation) => number) =>
    explanations.reduce((sum, explanation) => sum + of(explanation), 0) / explanations.length;
  const phase = (name: 'bestPassage' | 'phaseOne' | 'phaseTwo' | 'phaseThree') =>
    total(({ cost }) => cost[name].pairs);
  return (
    `Cost per query, top ${DEPTH} re-ranked: ${Math.round(phase('bestPassage') + phase('phaseOne'))} passages, ` +
    `${Math.round(phase('phaseTwo'))} chunks, ${Math.round(phase('phaseThree'))} chunk × document pairs, ` +
    `${(total(({ cost }) => cost.flops) / 1e9).toFixed(1)} GFLOPs, ${Math.round(1000 * total(({ cost }) => cost.seconds))} ms.`
  );
}
