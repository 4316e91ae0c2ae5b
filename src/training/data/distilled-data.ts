import { type Tokenizer } from '../../bert/index.js';
import { inputError } from '../../common/errors.js';
import type { ScoredGroups } from '../groups.js';
import { Random } from '../random.js';
import type { TrainingSettings } from '../settings.js';
import { sequenceOf, targetBatches } from './sequences.js';
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
  const counts = {
    groups: numbers.length,
    candidates: groups.candidates.reduce((sum, { length }) => sum + length, 0),
  };
  const steps = stepsOf((step) => {
    const drawn = sampler
      .batch(step)
      .map((group, i) => draw(groups, group, settings, 'candidates of a group', step, i));
    return distilledBatches(groups, drawn, tokenizer, settings);
  });
  return sampler.data(counts, steps);
}

/** Random candidates of a group, which follow from `parts`. */
function draw(
  { candidates }: ScoredGroups,
  group: number,
  { groupSize, seed }: Settings,
  purpose: string,
  ...parts: readonly number[]
): Draw {
  const places = candidates[group].map((_, place) => place);
  return { group, places: new Random(purpose, seed, ...parts).sample(places, groupSize) };
}

/** The batches of validation groups: `groupSize` candidates of each, always the same. */
export function distilledValidation(
  groups: ScoredGroups,
  tokenizer: Tokenizer,
  settings: Settings,
): ValidationBatches {
  requireCandidates(groups, settings);
  const drawn = groups.candidates.map((_, group) =>
    draw(groups, group, settings, 'candidates of validation', group),
  );
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
  const rows = targets.map(({ row }) => row);
  const batches = targetBatches(sequences, rows, batchTokens, groupSize);
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

function requireCandidates({ candidates, label }: ScoredGroups, { groupSize }: Settings): void {
  const few = candidates.findIndex(({ length }) => length < groupSize);
  if (candidates.length > 0 && few < 0) return;
  throw inputError(
    few < 0
      ? `${label}: there is no group in it; write a line of JSON for each query.`
      : `${label}: group ${few + 1} has ${candidates[few].length} candidates, and ${groupSize} of each are compared; ` +
          'give more, or compare fewer (groupSize).',
  );
}
