import { resolve } from 'node:path';
import { z } from 'zod';
import {
  BertScorer,
  findModel,
  hashModel,
  loadPairCost,
  type PairCost,
  type Scorer,
  type ScoreOptions,
  type ScorerOptions,
  type TextPair,
} from '../bert/index.js';
import { slices } from '../common/concat.js';
import { inputError, usageError } from '../common/errors.js';
import { hashJson } from '../common/hash.js';
import type { JsonObject } from '../common/json.js';
import { omitUndefined } from '../common/omit-undefined.js';
import { distribute, parseFleetAddress, type FleetTask } from '../remote/index.js';

/** A model as a fleet's workers find and run it. */
interface FleetModel extends Pick<ScorerOptions, 'device' | 'precision'> {
  /** Folder, which every worker has at the same path. */
  readonly folder: string;
  /** Hash that the worker's own files must have. */
  readonly sha256: string;
}

/** Pairs for a model. */
export interface PairsTask {
  readonly model: FleetModel;
  readonly pairs: readonly TextPair[];
  readonly secondPieces?: number | undefined;
}

const pairsTask = z.object({
  model: z.object({ folder: z.string(), sha256: z.string() }),
  pairs: z.array(z.object({ a: z.string(), b: z.string() })),
  secondPieces: z.int().optional(),
});

/** Checks what came as pairs for a model. */
export function readPairs(task: JsonObject): PairsTask {
  if (pairsTask.safeParse(task).success) return task as unknown as PairsTask;
  throw inputError('The queue holds a task that is none: it has no model or pairs.');
}

/** Pairs of a task: a second or so on a GPU, and a minute at most on a processor. */
const PAIRS_PER_TASK = 256;

/**
 * A model on the workers of a fleet (`bert-qe fleet work`) as a scorer. Workers have the model in a folder of the same
 * path; one with other files there leaves the fleet.
 */
export async function fleetScorer(
  fleet: string,
  model: string,
  settings: Pick<ScorerOptions, 'device' | 'precision'>,
): Promise<Scorer & { readonly costOf: PairCost }> {
  const address = parseFleetAddress(fleet);
  const folder = resolve(await findModel(model));
  const sha256 = await hashModel(folder);
  const used: FleetModel = { ...settings, folder, sha256 };
  return {
    costOf: await loadPairCost(folder),
    async score(pairs, { signal, onProgress, secondPieces }: ScoreOptions = {}) {
      const scores = new Float32Array(pairs.length);
      const tasks = async function* (): AsyncGenerator<FleetTask<PairsTask>> {
        for (const [i, some] of slices(pairs, PAIRS_PER_TASK).entries()) {
          const from = i * PAIRS_PER_TASK;
          const key = `pairs ${from} to ${from + some.length}`;
          yield { key, data: { model: used, pairs: some, secondPieces } };
        }
      };
      const results = distribute<PairsTask, readonly number[]>(address, tasks(), {
        run: hashJson('pairs', used),
        read: (result, key) => checkedScores(result, key),
        what: 'The scoring of',
        ...(signal ? { signal } : {}),
      });
      let done = 0;
      for await (const { result } of results) {
        scores.set(result, done);
        onProgress?.((done += result.length), pairs.length);
      }
      return scores;
    },
    close: async () => undefined,
  };
}

/** The scores of a task: as many probabilities as it has pairs. */
function checkedScores(result: unknown, key: string): readonly number[] {
  const [, from, to] = /(\d+) to (\d+)$/.exec(key)!;
  const wanted = Number(to) - Number(from);
  if (!Array.isArray(result) || result.length !== wanted) throw new Error(`not a list of ${wanted} scores`);
  const wrong = (result as unknown[]).find(
    (score) => !(typeof score === 'number' && score >= 0 && score <= 1),
  );
  if (wrong !== undefined) throw new Error(`${String(wrong)} is no probability`);
  return result as number[];
}

/** Scores the pairs of a task with its model. */
export async function scorePairs(
  scorer: BertScorer,
  { pairs, secondPieces }: PairsTask,
  signal: AbortSignal,
): Promise<number[]> {
  return [...(await scorer.score(pairs, { signal, ...omitUndefined({ secondPieces }) }))];
}

/** Opens the model of a task. */
export async function openModel({ folder, sha256, device, precision }: FleetModel): Promise<BertScorer> {
  if ((await hashModel(folder)) !== sha256) {
    throw usageError(
      `${folder} on this machine is not the model that the run was begun with; copy it here, then join again.`,
    );
  }
  return BertScorer.load({ model: folder, ...(device && { device }), ...(precision && { precision }) });
}
