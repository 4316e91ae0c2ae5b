import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import {
  BIRCH_DEFAULTS,
  DEFAULTS,
  type BirchExplanation,
  type Explanation,
} from '../../src/expansion/index.js';
import { type CliResult, launcher } from '../support/cli.js';
import { temporaryFolder } from '../support/folders.js';
import { jsonLines, refusal, runHere, words } from './support.js';

// Every test starts processes, some of them many.
vi.setConfig({ testTimeout: 600_000 });

const root = fileURLToPath(new URL('../../', import.meta.url));
const queriesFile = join(root, 'demo/queries.jsonl');

const folder = temporaryFolder();
let documents: string;
let queries: string;

beforeAll(() => {
  const corpus = readFileSync(join(root, 'demo/corpus.jsonl'), 'utf8').trim().split('\n').slice(0, 40);
  documents = join(folder, 'corpus.jsonl');
  writeFileSync(documents, `${corpus.join('\n')}\n`);
  queries = join(folder, 'queries.jsonl');
  writeFileSync(queries, `${readFileSync(queriesFile, 'utf8').trim().split('\n').slice(0, 5).join('\n')}\n`);
});

const rerank = (args: readonly string[]): Promise<CliResult> => runHere('rerank', ...args);

/** Starts the command as a user would; it dies of SIGKILL as soon as a file has grown beyond a size. */
async function rerankApart(
  args: readonly string[],
  dies?: { file: string; size: number },
): Promise<CliResult> {
  const preload = dies ? ['--import', new URL('die-at-size.js', import.meta.url).href] : [];
  const started = spawn(process.execPath, [...preload, launcher, 'rerank', ...args], {
    cwd: root,
    env: { ...process.env, DIE_FILE: dies?.file, DIE_SIZE: String(dies?.size) },
  });
  const closed = once(started, 'close') as Promise<[number | null]>;
  const [stdout, stderr, [code]] = await Promise.all([text(started.stdout), text(started.stderr), closed]);
  return { code, stdout, stderr };
}

/** 0 where there is no such file. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

const idsOf = (file: string) => jsonLines(readFileSync(file, 'utf8')).map(({ _id }) => String(_id));

/** The lines of a run down to a rank. */
function firstPlaces(run: string, rank: number): string[] {
  return run.split('\n').filter((line) => line !== '' && Number(line.split(' ')[3]) <= rank);
}

const small = words`--models TTT --depth 6 --kc 3 --kd 3`;

describe('rerank over a file of queries', () => {
  test('killed again and again, it goes on and ends with the same run, byte for byte', async () => {
    const inputs = ['--documents', documents, '--queries', queries, ...small];
    const whole = join(folder, 'whole.run');
    const uninterrupted = await rerankApart([...inputs, '--out', whole]);
    expect(uninterrupted).toMatchObject({ code: 0, stdout: '' });
    expect(uninterrupted.stderr).toMatch(/^BERT-QE-TTT: 5 queries in .* pairs .* TFLOPs a query\n$/);

    const killed = join(folder, 'killed.run');
    const journal = `${killed}.journal`;
    const size = (): number => sizeOf(journal);
    let resumed = 0;
    for (let attempt = 0; ; attempt++) {
      const before = size();
      // Killed as soon as another query is in the journal, and every other time with the last line torn.
      const dies = { file: journal, size: before + 500 };
      const { code, stderr } = await rerankApart([...inputs, '--out', killed], dies);
      if (stderr.includes('Going on after')) resumed++;
      if (code === 0) break;
      expect(code).toBeNull();
      // Either nothing yet or, when the kill came after the end, all of it.
      if (existsSync(killed)) expect(readFileSync(killed).equals(readFileSync(whole))).toBe(true);
      if (attempt % 2 === 1 && size() > 0) {
        const bytes = readFileSync(journal);
        writeFileSync(journal, bytes.subarray(0, bytes.length - 40));
      }
      expect(attempt).toBeLessThan(20);
    }
    expect(resumed).toBeGreaterThan(2);
    expect(readFileSync(killed).equals(readFileSync(whole))).toBe(true);
    expect(existsSync(journal)).toBe(false);
  });

  test('refuses the journal of other options, says which, and leaves it', async () => {
    const out = join(folder, 'other.run');
    const inputs = words`--documents ${documents} --queries ${queries} ${small} --out ${out}`;
    const journal = `${out}.journal`;
    await rerankApart(inputs, { file: journal, size: 3000 });
    expect(existsSync(journal)).toBe(true);
    const other = await rerank([...inputs, '--alpha', '0.7']);
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(/other inputs \(--alpha differ\)/);
    expect(existsSync(journal)).toBe(true);
  });

  test('re-ranks a run that is given, keeps what is below the depth, and explains every query', async () => {
    const run = join(folder, 'given.run');
    const ids = idsOf(documents);
    const [first, second] = idsOf(queries);
    const lines = [second, first].flatMap((query) =>
      ids.slice(0, 9).map((id, i) => `${query} Q0 ${id} ${i + 1} ${20 - i} given`),
    );
    writeFileSync(run, `${lines.join('\n')}\n`);
    const out = join(folder, 'out.run');
    const explain = join(folder, 'why.jsonl');
    const inputs = words`--documents ${documents} --queries ${queries} --run ${run} ${small}`;
    const { code, stderr } = await rerank(words`${inputs} --out ${out} --explain ${explain} --tag mine`);
    expect({ code, stderr }).toMatchObject({ code: 0 });

    const rows = readFileSync(out, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' '));
    expect(rows.map(([query]) => query)).toEqual([...Array(9).fill(second), ...Array(9).fill(first)]);
    expect(rows.slice(6, 9).map(([, , id]) => id)).toEqual(ids.slice(6, 9));
    expect(rows.every(([, q0, , , , tag]) => q0 === 'Q0' && tag === 'mine')).toBe(true);

    const explanations = jsonLines<Explanation>(readFileSync(explain, 'utf8'));
    expect(explanations.map(({ id }) => id)).toEqual([second, first]);
    const [{ chunks, documents: explained, cost }] = explanations;
    expect(chunks.length).toBe(3);
    expect(Object.keys(chunks[0])).toEqual(['text', 'document', 'start', 'score', 'weight']);
    expect(explained.length).toBe(6);
    for (const [i, document] of explained.entries()) {
      expect(document.id).toBe(rows[i][2]);
      expect(String(document.final)).toBe(rows[i][4]);
      // The reported numbers add up.
      const expansion = chunks.reduce((sum, { weight }, c) => sum + weight * document.chunkScores[c]!, 0);
      expect(document.expansionScore).toBeCloseTo(expansion, 10);
      expect(document.combined).toBeCloseTo(
        (1 - DEFAULTS.alpha) * document.queryScore! + DEFAULTS.alpha * expansion,
        10,
      );
      expect(document.final).toBeCloseTo(
        DEFAULTS.beta * Math.log(document.combined!) + (1 - DEFAULTS.beta) * document.initial!,
        10,
      );
      expect(document.ranks.final).toBe(i + 1);
      expect(ids[document.ranks.initial - 1]).toBe(document.id);
    }
    expect(cost.phaseThree.pairs).toBe(18);
    expect(cost.flops).toBeGreaterThan(1e9);
  });

  test('with --top-k writes the first places of the whole ranking, for less', async () => {
    const three = join(folder, 'three.jsonl');
    writeFileSync(three, readFileSync(queries, 'utf8').split('\n').slice(0, 3).join('\n'));
    const inputs = words`--documents ${documents} --queries ${three} --models TTT --beta 0.7`;
    const all = await rerank(inputs);
    const top = await rerank([...inputs, '--top-k', '4']);
    const [few, many] = [firstPlaces(top.stdout, 4), firstPlaces(all.stdout, 4)];
    expect(few.length).toBe(12);
    few.forEach((line, i) => {
      const [query, , id, , score] = line.split(' ');
      const [sameQuery, , sameId, , sameScore] = many[i].split(' ');
      expect([query, id]).toEqual([sameQuery, sameId]);
      expect(Number(score)).toBeCloseTo(Number(sameScore), 5);
    });
    expect(top.stderr).toMatch(/\(\d+% of [\d,]+\)/);
  });
});

test('a single query is shown to be read, without colours where there is no terminal', async () => {
  const inputs = ['--documents', documents, '--query', 'why do bridges sway in the wind', '--top-k', '4'];
  const { code, stdout } = await rerank([...inputs, '--models', 'TTT', '--kc', '5']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^why do bridges sway in the wind\n\nExpanded with 5 chunks of \d documents?:\n/);
  expect(stdout).toMatch(/\n4 documents:\n/);
  expect(stdout).not.toContain('\u001b');
  for (const line of stdout.split('\n')) expect([...line].length).toBeLessThanOrEqual(100);
});

describe('rerank --method birch', () => {
  test('writes a run whose scores are those of the explained sentences', async () => {
    const explain = join(folder, 'birch.jsonl');
    const out = join(folder, 'birch.run');
    const inputs = words`--documents ${documents} --queries ${queries} --models T --depth 6`;
    const files = ['--out', out, '--explain', explain];
    const { code, stderr } = await rerank([...inputs, '--method', 'birch', '--birch-gamma', '0.5', ...files]);
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Birch-T: 5 queries in /),
    });
    const rows = readFileSync(out, 'utf8').trim().split('\n');
    const explanations = jsonLines<BirchExplanation>(readFileSync(explain, 'utf8'));
    expect(explanations.length).toBe(5);
    const { alpha, beta } = BIRCH_DEFAULTS;
    for (const { id, documents: explained, weights } of explanations) {
      expect(weights).toEqual({ alpha, beta, gamma: 0.5 });
      const ranked = rows.filter((row) => row.startsWith(`${id} `)).map((row) => row.split(' '));
      explained.forEach(({ id: document, final, initial, sentences }, i) => {
        expect(ranked[i].slice(2, 6)).toEqual([document, String(i + 1), String(final), 'Birch-T']);
        const [one, two = 0, three = 0] = sentences.map(({ score }) => score);
        expect(final).toBeCloseTo(alpha * initial! + (1 - alpha) * (one + beta * two + 0.5 * three), 12);
      });
    }
  });

  test('shows a query to be read, or as JSON, with the best sentences', async () => {
    const inputs = ['how bees find flowers', '--documents', documents, '--models', 'T', '--method', 'birch'];
    const { code, stdout } = await rerank([...inputs, '--top-k', '3']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^how bees find flowers\n\n3 documents:\n {2}# {2}document +final +initial +moved\n/,
    );
    expect(stdout.match(/^ {5}[ .\d]\d{3} \S/gm)!.length).toBeGreaterThan(3);
    for (const line of stdout.split('\n')) expect([...line].length).toBeLessThanOrEqual(100);
    const json = await rerank([...inputs, '--top-k', '3', '--json']);
    const { results } = JSON.parse(json.stdout) as { results: { sentences: { text: string }[] }[] };
    expect(results.map(({ sentences }) => sentences.length)).toEqual([3, 3, 3]);
  });

  test.each<[string, string[], RegExp]>([
    [
      'a weight without the method',
      ['--birch-beta', '0.2'],
      /--birch-beta has no effect without --method birch/,
    ],
    ['an option of BERT-QE', ['--method', 'birch', '--kc', '4'], /--kc belongs to BERT-QE/],
    ['a model of phase two', ['--method', 'birch', '--phase2', 'T'], /--phase2 belongs to BERT-QE/],
    ['a fleet', words`--method birch --fleet redis://x --out x --index x`, /leave --fleet out/],
    [
      'a weight above 1',
      ['--method', 'birch', '--birch-alpha', '2'],
      /--birch-alpha must be a number between/,
    ],
    ['a method that is none', ['--method', 'cedr'], /--method must be one of bert-qe, birch, .*, not "cedr"/],
  ])('refuses %s', async (_, extra, message) => {
    expect(refusal(await rerank(['--queries', queries, ...extra]))).toMatch(message);
  });
});

/** Writes a run of one line. */
function run(line: string): string {
  const file = join(folder, 'bad.run');
  writeFileSync(file, `${line}\n`);
  return file;
}

test('an explanation to standard output comes alone, as JSON', async () => {
  const inputs = ['--documents', documents, '--query', 'how bees find flowers', ...small];
  const { code, stdout } = await rerank([...inputs, '--explain', '-']);
  expect(code).toBe(0);
  expect((JSON.parse(stdout) as Explanation).query).toBe('how bees find flowers');
});

describe('bad input ends with exit code 2 and one line:', () => {
  test.each<[string, () => string[], RegExp]>([
    ['α out of range', () => ['--alpha', '1.5'], /--alpha must be a number between 0 and 1, not 1.5/],
    ['a letter that is no size', () => ['--models', 'SXT'], /no size "X"/],
    ['a size that is not installed', () => ['--models', 'LLL'], /No model "L"/],
    ['a model that is not there', () => ['--phase3', 'nowhere'], /No model "nowhere"/],
    [
      'a query of the run that is not among the queries',
      () => ['--run', run('q99999 Q0 x 1 1 t')],
      /bad\.run: query "q99999" is not in .*queries\.jsonl/,
    ],
    [
      'a document of the run that is not in the collection',
      () => {
        const [id] = readFileSync(queries, 'utf8').match(/(?<="_id": ?")[^"]+/)!;
        return ['--run', run(`${id} Q0 no-such-document 1 1 t`)];
      },
      /bad\.run: document "no-such-document" of query ".*" is not in .*corpus\.jsonl/,
    ],
    [
      'first-stage options with a run',
      () => ['--run', run('x'), '--k1', '1'],
      /--k1 has no effect with --run/,
    ],
    ['an empty run', () => ['--run', run('')], /the run is empty/],
    ['both outputs on stdout', () => ['--out', '-', '--explain', '-'], /cannot both go to standard output/],
    ['phase two in MaxP', () => ['--models', 'T', '--phase2', 'T'], /--phase2 has no effect/],
    ['a folder that is not there', () => ['--out', join(folder, 'no/such.run')], /folder to write into/],
  ])('%s', async (_, extra, message) => {
    const inputs = ['--documents', documents, '--queries', queries, '--models', 'TTT'];
    expect(refusal(await rerank([...inputs, ...extra()]))).toMatch(message);
  });

  test('neither index nor documents, or both', async () => {
    expect(refusal(await rerank(['--query', 'x']))).toMatch(/either --index DIR .* or --documents PATH/);
  });
});
