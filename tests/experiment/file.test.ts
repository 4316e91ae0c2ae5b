import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseExperiment, readExperiment, readStudy } from '../../src/experiment/index.js';
import { resolvePath } from '../../src/experiment/file/paths.js';
import { isControl, systemsOf } from '../../src/experiment/systems.js';

const required = `name: x
collection:
  documents: demo
folds: { roundRobin: 5 }
variants: [TTT]
`;

/** Lists of aliases of lists: nine to the power of seven elements. */
const aliasBomb = Array.from(
  { length: 7 },
  (_, i) =>
    `x${i}: &x${i} [${Array(9)
      .fill(i === 0 ? 'x' : `*x${i - 1}`)
      .join()}]`,
).join('\n');

/** The message for the required fields with something after them. */
const complaint = (more: string, text = required + more): string => {
  try {
    parseExperiment(text, 'e.yaml');
  } catch (error) {
    return (error as Error).message;
  }
  return expect.unreachable('it was accepted');
};

describe('an experiment file', () => {
  test("has the paper's settings where it says nothing", () => {
    expect(parseExperiment(required, 'e.yaml')).toMatchObject({
      initial: 'DPH+KL',
      depth: 1000,
      method: { kd: 10, kc: 10, chunkWords: 10, passageWords: 100, titleWords: 30 },
      tuning: { mode: 'in-turn', measure: 'nDCG@20', tieBreak: 'AP@100' },
      measures: ['P@20', 'nDCG@20', 'AP@100', 'AP@1000'],
      baselines: ['DPH', 'DPH+KL', 'BM25+RM3', 'QL+RM3', 'MaxP'],
    });
  });

  test("with the preset has the authors' settings, where it does not say otherwise itself", () => {
    const settings = (more: string) => {
      const { method, tuning, training, collection } = parseExperiment(
        `${required}preset: as-published\n${more}`.replace(
          'documents: demo',
          'documents: demo\n  format: trec',
        ),
        'e.yaml',
      );
      return { method, tuning, training, elements: collection.elements };
    };
    expect(settings('')).toMatchObject({
      method: { kc: 10, chunkWords: 10, chunkPieces: 126 },
      tuning: { decimals: 4, mode: 'in-turn' },
      training: undefined,
      elements: 'of-analyzer',
    });
    expect(settings('training: { steps: 5, keep: best }\ntuning: { mode: joint }')).toMatchObject({
      tuning: { decimals: 4, mode: 'joint' },
      training: { schedule: 'bert', keep: 'best', steps: 5 },
    });
    expect(parseExperiment(required, 'e.yaml')).toMatchObject({
      collection: { elements: 'text' },
      tuning: expect.not.objectContaining({ decimals: 4 }) as unknown,
    });
  });

  test.each([
    ['preset: published', '6:9', 'preset: expected as-published, found "published"'],
    [
      'preset: as-published\nmodels: { T: T }',
      '7:14',
      'models.T: as-published has general and fine-tuned models',
    ],
    ['depth: ten', '6:8', 'depth: expected a number, found "ten"'],
    ['depth: 0', '6:8', 'depth: must be at least 1, found 0'],
    ['method: { kd: 1.5 }', '6:15', 'method.kd: expected a whole number, found 1.5'],
    ['method:\n  kc: 5\n  kx: 5', '8:3', 'method: there is no field "kx" here'],
    ['dpeth: 3', '6:1', 'the file: there is no field "dpeth" here'],
    ['index: { analyzer: lucene }', '6:20', 'expected auto, terrier, anserini, plain, found "lucene"'],
    ['measures: [P@20, FOO]', '6:18', 'measures.1: Unknown measure "FOO"'],
    ['baselines: [DPH, XX]', '6:18', 'baselines.1: "XX" is not a baseline'],
    ['ablations: { of: T }', '6:18', 'ablations.of: "T" has one size; a variant has three'],
    ['initial: BM26', '6:10', 'initial: "BM26" is not a first stage'],
    ['initial: { ran: x }', '6:10', 'initial: run: is missing; expected text'],
    ['initial: [1]', '6:10', 'initial: expected text or named fields ("name: value"), found [1]'],
    ['models: { X: foo }', '6:11', 'models: there is no field "X" here'],
    ['models: { T: { general: a } }', '6:14', 'models.T: fineTuned: is missing'],
    ['significance: { against: [] }', '6:26', 'significance.against: must not be empty'],
    [
      'published: { source: a, systems: { DPH: { P@20: 0.3x } } }',
      '6:49',
      'expected a number, with up to three stars',
    ],
    ['published: { source: a, systems: { DPH: { Q@20: 0.3 } } }', '6:49', 'Unknown measure "Q@20"'],
    ['training: on', '6:11', 'training: write off, or the options of training, such as { epochs: 2 }'],
    ['training: true', '6:11', 'training: write off, or the options of training'],
    ['training: { epochs: 0 }', '6:21', 'training.epochs: must be at least 0.001, found 0'],
    [
      'training: { loss: residual }',
      '6:19',
      'training.loss: the residual loss is that of phase three on chunks',
    ],
    [
      'training: { lossAlpha: 0.5 }',
      '6:24',
      'training.lossAlpha: lossAlpha belongs to the loss residual, not to pointwise',
    ],
    [
      'training: { on: chunks, loss: residual, negatives: 3 }',
      '6:52',
      'training.negatives: negatives belongs to the loss pointwise or pairwise or listwise, not to residual',
    ],
    ['training: { epochs: 1, steps: 5 }', '6:21', 'training.epochs: epochs and steps exclude each other'],
    ['training: { lossAlpha: 1.5 }', '6:24', 'training.lossAlpha: must be at most 1, found 1.5'],
    ['training: { epoch: 1 }', '6:13', 'training: there is no field "epoch" here'],
    [
      'training: {}\nmodels: { T: { general: a, fineTuned: b } }',
      '7:14',
      'models.T: training makes the fine-tuned model; name one folder',
    ],
    ['depth: [', '7:1', 'not valid YAML'],
    ['depth: 5\ndepth: 6', '7:1', 'not valid YAML: Map keys must be unique'],
    ['depth: &a 5\ntitle: *b', '7:8', 'not valid YAML: Unresolved alias'],
    [aliasBomb, '12:42', 'not valid YAML: Excessive alias count'],
  ])('with %j is refused with line, column and what was expected', (more, place, problem) => {
    expect(complaint(`${more}\n`)).toContain(`e.yaml:${place}: `);
    expect(complaint(`${more}\n`)).toContain(problem);
  });

  test('names the first mistake of several', () => {
    expect(complaint('depth: ten\nretrieve: many\n')).toContain('e.yaml:6:8: depth');
  });

  test.each([
    ['', 'e.yaml:1:1: name: is missing; expected text'],
    ['- a\n', 'e.yaml:1:1: the file: expected named fields ("name: value"), found ["a"]'],
    ['name: x\n', 'e.yaml:1:1: collection: is missing'],
    [required.replace('variants: [TTT]', 'variants: []'), 'variants: must not be empty'],
    [required.replace('TTT', 'TXT'), 'e.yaml:5:12: variants.0: "TXT" is not a variant: there is no size "X"'],
    [required.replace('name: x', 'name: a/b'), 'e.yaml:1:7: name: expected a name of letters'],
  ])('%j is refused', (text, message) => {
    expect(complaint('', text)).toContain(message);
  });

  test.each(['training: off', 'training: false'])('may say %s', (line) => {
    expect(() => parseExperiment(`${required}${line}\n`, 'e.yaml')).not.toThrow();
  });

  test('that is not there is named', async () => {
    await expect(readExperiment('/nowhere/e.yaml')).rejects.toThrow('/nowhere/e.yaml');
  });
});

describe('environment variables in the paths of an experiment file', () => {
  const text = required.replace('demo', '${BERT_QE_COLLECTIONS}/demo');

  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test('stand as written in what is read and are expanded when the path is used', () => {
    vi.stubEnv('BERT_QE_COLLECTIONS', '/data');
    const { documents } = parseExperiment(text, 'e.yaml').collection;
    expect(documents).toBe('${BERT_QE_COLLECTIONS}/demo');
    expect(resolvePath('/somewhere/e.yaml', documents)).toBe('/data/demo');
  });

  test('may hold a path relative to the file', () => {
    vi.stubEnv('BERT_QE_COLLECTIONS', '../data');
    expect(resolvePath('/somewhere/e.yaml', '${BERT_QE_COLLECTIONS}/${BERT_QE_COLLECTIONS}')).toBe('/data');
  });

  test.each([
    ['unset', undefined],
    ['empty', ''],
  ])('that are %s are named, with line and column', (_, value) => {
    vi.stubEnv('BERT_QE_COLLECTIONS', value);
    expect(complaint('', text)).toBe(
      'e.yaml:3:14: collection.documents: the environment variable BERT_QE_COLLECTIONS is not set.',
    );
  });

  test('are checked wherever a path may stand', () => {
    vi.stubEnv('BERT_QE_COLLECTIONS', undefined);
    const problem = 'the environment variable BERT_QE_COLLECTIONS is not set.';
    const path = '${BERT_QE_COLLECTIONS}/x';
    expect(complaint(`models: { T: "${path}" }\n`)).toContain(`6:14: models.T: ${problem}`);
    expect(complaint(`initial: { run: "${path}" }\n`)).toContain(`6:17: initial.run: ${problem}`);
    expect(complaint(`index: { folder: "${path}" }\n`)).toContain(`6:18: index.folder: ${problem}`);
    expect(complaint('', required.replace('{ roundRobin: 5 }', path))).toContain(`4:8: folds: ${problem}`);
  });
});

describe('names of re-rankers', () => {
  test('are letters for models named by letters, and those of the paper for others', () => {
    const text = `${required}baselines: [DPH, BERT-Tiny, S, M]\nmodels: { T: T, M: ./medium }\n`;
    const { baselines, against } = systemsOf(parseExperiment(text, 'e.yaml'));
    expect(baselines.map(({ name }) => name)).toEqual(['DPH', 'T', 'S', 'BERT-Medium']);
    // Paths are by size alone.
    expect(baselines.map(({ id }) => id)).toEqual(['DPH', 'BERT-Tiny', 'BERT-Small', 'BERT-Medium']);
    expect(against).toEqual(['T']);
  });
});

describe('the recipes', () => {
  beforeEach(() => {
    vi.stubEnv('BERT_QE_COLLECTIONS', '/collections');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const folder = fileURLToPath(new URL('../../experiments/', import.meta.url));
  test.each(readdirSync(folder).filter((name) => name.endsWith('.yaml')))('%s is valid', async (name) => {
    expect(`${(await readStudy(folder + name)).name}.yaml`).toBe(name);
  });

  test.each(['robust04.yaml', 'gov2.yaml'])(
    '%s has a published number for all that it runs',
    async (name) => {
      const experiment = await readExperiment(folder + name);
      const { baselines, variants, ablations } = systemsOf(experiment);
      const published = experiment.published!.systems;
      // Table 5 is on Robust04 only.
      const ablated = name.startsWith('robust') ? ablations!.systems : [];
      // The published Birch and CEDR are other models than the controls that run here.
      const ours = baselines.filter((system) => !isControl(system));
      const own = [...ours, ...variants, ...ablated].map((system) => system.name);
      expect(own.filter((system) => published[system] === undefined)).toEqual([]);
      const others = Object.keys(published).filter((system) => !own.includes(system));
      expect(others).toEqual(name.startsWith('robust') ? ['SNRM+PRF', 'NPRF', 'CEDR', 'Birch'] : []);
    },
  );
});
