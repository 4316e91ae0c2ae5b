import { type Tokenizer } from '../../bert/index.js';
import { BertQeError } from '../../common/errors.js';
import type { TrainingBatch } from '../engine/index.js';
import type { ScoredGroups } from '../groups.js';
import { Random } from '../random.js';
import type { TrainingSettings } from '../settings.js';
import { microBatches, sequenceOf } from './sequences.js';
import { BatchSampler, stepsOf, type TrainingData, type ValidationBatches } from './training-data.js';

/** The number of groups to learn from, and of their candidates. */
export interface GroupCounts {
  readonly groups: number;
  readonly candidates: number;
}

type Settings = Pick<TrainingSettings, 'batch' | 'groupSize' | 'batchTokens' | 'seed'>;

/** Some candidates of a group, by their places in it. */
interface Draw {
  readonly group: number;
  readonly places: readonly number[];
}

/** The data of distillation from stored scores. A step draws `groupSize` candidates of each of its groups anew. */
export function distilledData(
  groups: ScoredGroups,
  tokenizer: Tokenizer,
  settings: Settings,
): TrainingData<GroupCounts> {
  requireCandidates(groups, settings);
  const numbers = groups.candidates.map((_, number) => number);
  const sampler = new BatchSampler(() => [...numbers], settings);
  const draw = (group: number, ...parts: (number | string)[]): Draw => {
    const random = new Random('candidates of a group', settings.seed, ...parts);
    const places = groups.candidates[group].map((_, place) => place);
    return { group, places: random.sample(places, settings.groupSize) };
  };
  const batchesOf = (step: number) => {
    const drawn = sampler.batch(step).map((group, i) => draw(group, step, i));
    return distilledBatches(groups, drawn, tokenizer, settings);
  };
  return {
    groups: sampler.groups,
    examplesPerStep: sampler.groupsPerStep * settings.groupSize,
    counts: { groups: numbers.length, candidates: candidatesIn(groups) },
    stepsIn: (epochs) => sampler.stepsIn(epochs),
    steps: stepsOf(batchesOf),
  };
}

/** The batches of validation groups: `groupSize` candidates of each, always the same. */
export function distilledValidation(
  groups: ScoredGroups,
  tokenizer: Tokenizer,
  settings: Settings,
): ValidationBatches {
  requireCandidates(groups, settings);
  const drawn = groups.candidates.map((candidates, group) => {
    const random = new Random('candidates of validation', settings.seed, group);
    const places = candidates.map((_, place) => place);
    return { group, places: random.sample(places, settings.groupSize) };
  });
  return distilledBatches(groups, drawn, tokenizer, settings);
}

function distilledBatches(
  groups: ScoredGroups,
  drawn: readonly Draw[],
  { template }: Tokenizer,
  { groupSize, batchTokens }: Settings,
): ValidationBatches {
  const targets = drawn.map(({ group, places }) =>
    distilledTargets(
      places.map((place) => groups.targets[group][place]),
      drawn.length,
    ),
  );
  const sequences = drawn.flatMap(({ group, places }) =>
    places.map((place) =>
      sequenceOf(
        template,
        groups.queries[groups.query[group]],
        groups.passages[groups.candidates[group][place]],
      ),
    ),
  );
  const batches = microBatches(sequences, batchTokens, groupSize).map(({ batch, places }): TrainingBatch => {
    const rows = places.filter((place) => place % groupSize === 0).map((place) => targets[place / groupSize]);
    return { ...batch, targets: Float32Array.from(rows.flatMap(({ row }) => row)), columns: 3 * groupSize };
  });
  return { batches, least: targets.reduce((sum, { entropy }) => sum + entropy, 0) };
}

/**
 * A group's row of targets of the distilled loss, one of so many groups. For a teacher's log-odds z* and ours z,
 *
 *     loss = KL(softmax(z*) ‖ softmax(z)) + ½ · mean of BCE(σ(z*), σ(z))
 *
 * as a mean over groups; both are least at z = z*. The graph computes the cross-entropy of the first part, which is the
 * divergence and the entropy of softmax(z*).
 */
export function distilledTargets(
  logOdds: readonly number[],
  groups: number,
): { readonly row: readonly number[]; readonly entropy: number } {
  const largest = Math.max(...logOdds);
  const total = logOdds.reduce((sum, z) => sum + Math.exp(z - largest), 0);
  const logShares = logOdds.map((z) => z - largest - Math.log(total));
  const weight = 0.5 / (groups * logOdds.length);
  const row = [
    ...logShares.map((log) => Math.exp(log) / groups),
    ...logOdds.map((z) => weight / (1 + Math.exp(z))),
    ...logOdds.map((z) => weight / (1 + Math.exp(-z))),
  ];
  return { row, entropy: logShares.reduce((sum, log) => sum - Math.exp(log) * log, 0) / groups };
}

function candidatesIn({ candidates }: ScoredGroups): number {
  return candidates.reduce((sum, { length }) => sum + length, 0);
}

function requireCandidates({ candidates, label }: ScoredGroups, { groupSize }: Settings): void {
  const few = candidates.findIndex(({ length }) => length < groupSize);
  if (candidates.length > 0 && few < 0) return;
  throw new BertQeError(
    'input',
    few < 0
      ? `${label}: there is no group in it; write a line of JSON for each query.`
      : `${label}: group ${few + 1} has ${candidates[few].length} candidates, and ${groupSize} of each are compared; ` +
          'give more, or compare fewer (groupSize).',
  );
}
