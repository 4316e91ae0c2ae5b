import { spawn } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { publishedFolds, readQrels, readRun } from '../../src/collection/index.js';
import {
  checkpointFiles,
  googleConfig,
  tinyConfig,
  vocabularyText,
  writeArchive,
  writeFiles,
} from '../support/authors-model.js';
import { bertQe, launcher } from '../support/cli.js';
import { temporaryFolder } from '../support/folders.js';
import {
  makeUpTopics,
  splitQrels,
  writeFoldFolder,
  writeGov2,
  writeRobust04,
  type TrecFiles,
} from '../support/made-up-disks.js';
import { sharedPath } from '../support/shared.js';
import { rowsOf } from './run-experiment.js';

/**
 * The shipped experiment files on made-up disks and pages: the markup of every source, a thousand documents each, models
 * of the five sizes in the archives of the authors' release, their partitions. Topics and judgements are the real ones
 * where BERT_QE_TREC names their folder, else made up. Of the files only paths are changed, and the depth and the steps of a
 * control's training, which take long.
 */
const folder = temporaryFolder();
const data = join(folder, 'data');
const experiments = join(import.meta.dirname, '../../experiments');
const hidden = { T: 8, S: 12, M: 16, B: 20, L: 24 } as const;
const names = { T: 'Tiny', S: 'Small', M: 'Medium', B: 'Base', L: 'Large' } as const;
type Size = keyof typeof hidden;
const sizes = Object.keys(hidden) as Size[];

const real = process.env['BERT_QE_TREC'] ?? sharedPath('data/trec');
const filesOf = (kind: 'robust04' | 'gov2'): TrecFiles => {
  if (!existsSync(real)) return makeUpTopics(join(data, `topics-${kind}`), kind);
  if (kind === 'robust04') {
    const at = join(real, 'robust04');
    return { topics: [join(at, 'topics.robust04.txt')], qrels: join(at, 'qrels.robust04.txt') };
  }
  const years = ['04.701-750', '05.751-800', '06.801-850'];
  return {
    topics: years.map((year) => join(real, `gov2/topics.terabyte${year}.txt`)),
    qrels: join(real, 'gov2/qrels.gov2.701-850.txt'),
  };
};

/** The authors' release: an archive per size, collection and fold; the configuration once, the vocabulary with one model. */
async function writeModels(): Promise<void> {
  for (const size of sizes) {
    const config = tinyConfig(hidden[size]);
    const name = names[size];
    writeArchive(join(data, `msmarco/${name.toLowerCase()}.zip`), '.', {
      ...(await checkpointFiles(config, 100_000)),
      'bert_config.json': Buffer.from(googleConfig(config)),
      'vocab.txt': Buffer.from(vocabularyText),
    });
    for (const collection of ['Robust04', 'GOV2']) {
      const root = join(data, `BERT-${name}-${collection}`);
      writeFiles(root, { 'bert_config.json': googleConfig(config) });
      for (const fold of [1, 2, 3, 4, 5]) {
        const step = (collection === 'GOV2' ? 5625 : 9375) + fold;
        writeArchive(join(root, `fold-${fold}.zip`), `fold-${fold}`, await checkpointFiles(config, step));
      }
    }
  }
}

interface FileContent {
  collection: Record<string, unknown>;
  models: Record<Size, { general: string; fineTuned: string; trainedIn: string }>;
  [field: string]: unknown;
}

/** A shipped file with the paths of the made-up collections; `changed` replaces further fields. */
function shippedFile(
  kind: 'robust04' | 'gov2',
  documents: number,
  changed: Record<string, unknown> = {},
): string {
  const text = readFileSync(join(experiments, `${kind}.yaml`), 'utf8');
  const file = parse(text.replaceAll('/data/bert-qe/', `${data}/`)) as FileContent;
  for (const size of sizes) file.models[size].general += '.zip';
  const { topics, qrels } = filesOf(kind);
  const paths = {
    documents: join(data, kind),
    queries: kind === 'gov2' ? topics : topics[0],
    qrels: kind === 'gov2' ? splitQrels(qrels, join(data, 'qrels-gov2')) : qrels,
  };
  const path = join(folder, `${String(changed.name ?? kind)}.yaml`);
  const collection = { ...file.collection, ...paths, count: documents, ...(changed.collection as object) };
  const controls = kind === 'robust04' && { controls: { 'CEDR-KNRM': { steps: 4, batch: 4, depth: 10 } } };
  writeFileSync(path, stringify({ ...file, device: 'cpu', depth: 5, ...controls, ...changed, collection }));
  return path;
}

const made = await (async () => {
  await writeModels();
  for (const kind of ['robust04', 'gov2'] as const) {
    writeFoldFolder(join(data, 'cv', kind), publishedFolds(kind)!);
  }
  return {
    robust04: await writeRobust04(join(data, 'robust04'), filesOf('robust04')),
    gov2: await writeGov2(join(data, 'gov2'), filesOf('gov2')),
  };
})();

describe('the shipped files on made-up Robust04 and GOV2', () => {
  const out = join(folder, 'paper');
  const file = join(folder, 'paper.yaml');
  const robust04 = shippedFile('robust04', made.robust04);
  const gov2 = shippedFile('gov2', made.gov2);
  writeFileSync(file, readFileSync(join(experiments, 'paper.yaml')));

  test('are checked and estimated before anything is written', async () => {
    const { code, stdout, stderr } = await bertQe(['experiment', file, '--dry-run']);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^robust04: 2\d\d queries in 5 folds, the first 5 of DPH\+KL; 13 variants, 8 baselines, 2 ablations, 9 grid points\n/,
    );
    expect(stdout).toMatch(/^gov2: 1(49|50) queries in 5 folds/m);
    // Every query is ranked by two folds, which validate with it or test it.
    expect(stdout).toMatch(/^L, phase one +(2,490|2,500) /m);
    expect(stdout).toMatch(/Disk: scores [\d.,]+ [MG]B, indexes [\d.]+ MB, models made \d+(\.\d)? GB\./);
    expect(existsSync(out)).toBe(false);
  });

  test('come to all tables and figures, killed twice on the way', { timeout: 1_800_000 }, async () => {
    // Killed while models are unpacked or indexes built, then among the scores.
    for (const kilobytes of [0, 400]) {
      const child = spawn(process.execPath, [launcher, 'experiment', file, '--out', out], {
        stdio: 'ignore',
      });
      const journal = join(out, 'robust04/work/scores.journal');
      const written = (): number => (existsSync(journal) ? statSync(journal).size : -1);
      while (written() < kilobytes * 1000 && child.exitCode === null) await sleep(50);
      await sleep(1000);
      expect(child.exitCode).toBeNull();
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
    }
    const last = await bertQe(['experiment', file, '--out', out]);
    expect(last.stderr).not.toMatch(/damaged/);
    expect(last.code).toBe(0);
    expect(last.stdout).toBe(`${join(out, 'report.html')}\n`);
    const again = await bertQe(['experiment', file, '--out', out]);
    expect(again.stderr).toContain('nothing was missing');
    for (const name of ['robust04', 'gov2']) {
      const at = (path: string): string[] => readdirSync(join(out, name, path)).toSorted();
      const tables = at('tables').filter((path) => path.endsWith('.md'));
      expect(tables).toEqual(
        ['ablations', 'differences', 'folds', 'gains', 'grid', 'interpolation', 'main', 'variants'].map(
          (each) => `${each}.md`,
        ),
      );
      expect(at('figures').filter((path) => path.startsWith('gains-'))).toHaveLength(13);
      expect(at('figures')).toEqual(expect.arrayContaining(['cost-quality.svg', 'grid.svg']));
      // 13 variants, two ablations, nine grid points, six baselines and, on Robust04, two controls.
      expect(at('runs').filter((path) => path.endsWith('.run'))).toHaveLength(name === 'robust04' ? 32 : 30);
    }
  });

  test('leave the Congressional Record out, and find what is relevant', async () => {
    expect(readFileSync(join(out, 'robust04/report.md'), 'utf8')).toContain(
      '- Collection: 1,000 documents, 2',
    );
    for (const kind of ['robust04', 'gov2'] as const) {
      const qrels = await readQrels(filesOf(kind).qrels);
      const run = await readRun(join(out, kind, 'runs/DPH.run'));
      // Pages of GOV2 have the words of their queries in their titles alone: without titles in the text, none is right.
      const right = [...run].filter(([query, [first]]) => (qrels.get(query)?.get(first!.id) ?? 0) > 0);
      expect(right.length / run.size, kind).toBeGreaterThan(0.7);
    }
  });

  test('set published values beside every row, the ablations of Robust04 too', () => {
    const published = (name: string, table: string) =>
      rowsOf(join(out, name), table).map((row) => [row.Model, row['nDCG@20 (published)']]);
    expect(
      new Map(published('robust04', 'ablations') as [string, number][]).get(
        'BERT-QE-LLL, chunks from DPH+KL',
      ),
    ).toBe(0.5391);
    for (const name of ['robust04', 'gov2']) {
      // Birch and CEDR-KNRM are ours, and the published ones have rows of their own.
      const variants = published(name, 'variants').filter(([model]) => String(model).startsWith('BERT-'));
      expect(variants.filter(([model]) => String(model).startsWith('BERT-QE-'))).toHaveLength(13);
      expect(variants.every(([, value]) => typeof value === 'number')).toBe(true);
    }
    const both = rowsOf(out, 'ndcg-20');
    expect(both.find(({ Model }) => Model === 'BERT-QE-LMT')).toMatchObject({
      'robust04 (published)': 0.5483,
      'gov2 (published)': 0.5994,
    });
  });

  test('use a model of every archive, unpacked once and with the configuration of its size', () => {
    for (const name of ['robust04', 'gov2']) {
      const { models } = JSON.parse(readFileSync(join(out, name, 'manifest.json'), 'utf8')) as {
        models: Record<string, { folder: string }>;
      };
      expect(Object.keys(models)).toHaveLength(30);
      const widths = Object.values(models).map(
        (model) =>
          (JSON.parse(readFileSync(join(model.folder, 'config.json'), 'utf8')) as { hidden_size: number })
            .hidden_size,
      );
      for (const size of sizes) expect(widths.filter((width) => width === hidden[size])).toHaveLength(6);
    }
  });

  test('are refused where documents are missing or too many, models were trained on tested queries, or a model is missing', async () => {
    const refusal = async (path: string): Promise<string> => {
      const { code, stderr } = await bertQe(['experiment', path, '--out', join(folder, 'refused')]);
      expect(code).toBe(2);
      return stderr;
    };
    const withCongress = shippedFile('robust04', made.robust04, {
      name: 'congress',
      collection: { leaveOut: undefined },
    });
    expect(await refusal(withCongress)).toContain(
      'has 1,040 documents and not 1,000, as collection.count says',
    );
    // Dealing judged topics only moves every topic after 703 into another partition.
    const judged = shippedFile('gov2', made.gov2, { name: 'judged', folds: { roundRobin: 5, of: 'judged' } });
    expect(await refusal(judged)).toMatch(
      /fold \d tests \d+ of its \d+ queries .* with a model that was trained/,
    );
    const file = parse(readFileSync(gov2, 'utf8')) as FileContent;
    file.models.M.fineTuned = file.models.M.fineTuned.replace('Medium', 'Middle');
    const missing = join(folder, 'missing.yaml');
    writeFileSync(missing, stringify({ ...file, name: 'missing' }));
    expect(await refusal(missing)).toContain('BERT-Middle-GOV2/fold-1.zip');
  });

  test('re-rank a given first stage, which has a row of its own and takes the place of ours', async () => {
    const run = join(out, 'robust04/runs/DPH+KL.run');
    // Models of CEDR-KNRM as someone else may have them: a folder per fold.
    const trained = join(out, 'robust04/work/models');
    for (const name of readdirSync(trained)) {
      const fold = /^CEDR-KNRM-B-(fold)(\d)/.exec(name)?.[2];
      if (fold !== undefined)
        cpSync(join(trained, name), join(data, `cedr/fold-${fold}`), { recursive: true });
    }
    const settings = {
      variants: ['TTT'],
      grid: undefined,
      ablations: { of: 'TTT' },
      depth: 5,
      controls: {
        'CEDR-KNRM': { model: join(data, 'cedr/fold-{fold}') },
        'NPRF-DRMM': { steps: 4 },
        SNRM: { steps: 4, weakQueries: 100 },
      },
    };
    const released = ['Birch', 'CEDR', 'NPRF', 'SNRM+PRF'];
    const given = shippedFile('robust04', made.robust04, {
      ...settings,
      name: 'given',
      initial: { name: 'DPH+KL', run },
      baselines: [
        'DPH',
        ...released.map((name) => ({ name, run: join(out, 'robust04/runs/BM25+RM3.run') })),
        'T',
        'Birch-T',
        'CEDR-KNRM-B',
        'NPRF-DRMM',
        'SNRM',
      ],
      significance: { against: ['T', 'Birch'] },
    });
    const results = join(folder, 'given');
    const { code, stderr } = await bertQe(['experiment', given, '--out', results]);
    expect(stderr).not.toMatch(/^DPH\+KL:/m);
    expect(code).toBe(0);
    const rows = new Map(rowsOf(results, 'main').map((row) => [row.Model, row]));
    expect(rows.get('DPH+KL')).toMatchObject({ 'nDCG@20 (published)': 0.4397 });
    const published = released.map((name) => rows.get(name)!['nDCG@20 (published)']);
    expect(published).toEqual([0.5325, 0.5381, 0.4576, 0.4391]);
    // CEDR-KNRM by models that are given, the others by models that are trained now.
    expect(stderr).not.toContain('train CEDR');
    for (const name of ['Birch-T', 'CEDR-KNRM-B', 'NPRF-DRMM', 'SNRM']) {
      expect(rows.get(name)!['nDCG@20'], name).toBeTypeOf('number');
    }
    expect(rows.get('DPH+KL')!['nDCG@20']).toBe(
      rowsOf(join(out, 'robust04'), 'main').find(({ Model }) => Model === 'DPH+KL')!['nDCG@20'],
    );
    expect(rowsOf(results, 'ablations').map(({ Model }) => Model)).toContain(
      'BERT-QE-TTT, chunks from DPH+KL',
    );
    expect(readFileSync(join(results, 'tables/main.md'), 'utf8')).toContain(
      'Against BERT-Tiny (a), Birch (b)',
    );
  });

  test('fine-tune models of every fold as published, from those of MS MARCO', async () => {
    const path = join(folder, 'trained.yaml');
    const shipped = parse(
      readFileSync(join(experiments, 'paper-trained.yaml'), 'utf8').replaceAll('/data/bert-qe/', `${data}/`),
    ) as Record<string, unknown> & { models: Record<string, string>; collections: Record<string, object> };
    const { collection } = parse(readFileSync(robust04, 'utf8')) as FileContent;
    const models = Object.fromEntries(
      Object.entries(shipped.models).map(([size, model]) => [size, `${model}.zip`]),
    );
    writeFileSync(
      path,
      stringify({
        ...shipped,
        models,
        collections: { robust04: { ...shipped.collections.robust04, ...collection } },
        device: 'cpu',
        training: { steps: 3, batch: 4 },
        retrieve: 5,
        depth: 5,
        variants: ['TST'],
        baselines: ['T'],
        ablations: undefined,
        grid: undefined,
        significance: {},
      }),
    );
    const results = join(folder, 'trained');
    const { code, stderr } = await bertQe(['experiment', path, '--out', results]);
    expect(stderr).toContain('train T, fold 5');
    expect(code).toBe(0);
    const trained = join(results, 'robust04/work/models');
    const folders = readdirSync(trained).filter((name) => name.startsWith('T-fold'));
    expect(folders).toHaveLength(5);
    for (const name of folders) {
      const { best, configuration, history } = JSON.parse(
        readFileSync(join(trained, name, 'training.json'), 'utf8'),
      ) as {
        best: unknown;
        configuration: object;
        history: { steps: { learningRate: number }[]; validations: unknown[] };
      };
      expect(best).toBeNull();
      expect(history.validations).toEqual([]);
      expect(configuration).toMatchObject({
        schedule: 'bert',
        keep: 'last',
        learningRate: 1e-6,
        dropout: 0.1,
      });
      expect(history.steps.map(({ learningRate }) => learningRate)).toEqual(
        [1e-6, 1e-6 * (2 / 3), 1e-6 / 3].map((rate) => expect.closeTo(rate, 12) as unknown),
      );
    }
  });
});
