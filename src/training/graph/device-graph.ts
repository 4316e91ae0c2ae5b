import { ElementType, Graph, type Value } from '../../bert/onnx/index.js';
import { adamNodes, type GroupState, publishedAdam } from './adam-nodes.js';
import {
  BATCH_COLUMNS,
  batchGradients,
  batchScores,
  type DeviceGraphOptions,
  type RunArrays,
} from './device-batch.js';
import { DECODER, SCORES, LOSS, WANTED } from './names.js';
import { scoreColumns } from './loss.js';
import { muonNodes, stacksOf } from './muon-nodes.js';
import { type ParameterGroup, parameterGroups, sizeOf, TABLES, usesMuon } from './parameter-groups.js';

/** Names of the inputs and outputs of the device graphs that are not those of other graphs. */
export const RUN = {
  ids: 'ids',
  lengths: 'lengths',
  splits: 'splits',
  targets: 'targets',
  batches: 'batches',
  steps: 'steps',
  rates: 'rates',
  scale: 'scale',
  good: 'good',
  norm: 'norm',
} as const;

/** The arrays that are kept for a group. */
export const STATE = ['values', 'm', 'v'] as const;

/** The input and, with `new` before it, the output that holds an array of a group; and a parameter's array in a state file. */
export function stateName({ name }: { readonly name: string }, array: (typeof STATE)[number]): string {
  return `${array} of ${name}`;
}

/** Steps without an overflow after which the factor of the loss is doubled, and its largest value. */
const GROWTH_STEPS = 1000;
const LARGEST_SCALE = 2 ** 24;

/**
 * The graph of many training steps in one run. A run takes the weights and the moments of the optimiser, which then stay
 * on the device through all of its steps, and gives the new ones. An outer loop goes through the steps, an inner one
 * through the micro-batches of a step, whose gradients it adds up.
 *
 * With `float16`, weights are rounded to 16 bits in every step, and the loss is multiplied by a power of two, so that
 * small gradients are not lost. A step whose gradients are not finite changes nothing and is tried again with half the
 * factor. The graph ends before its last step where the loss is not finite, or no factor is small enough.
 */
export function trainingLoopGraph(options: DeviceGraphOptions): Graph {
  const { config, float } = options;
  const graph = new Graph('bert-qe training on a device');
  const groups = parameterGroups(config, options.loss);
  const { arrays, states } = runInputs(graph, options, groups, STATE);
  const steps = graph.input(RUN.steps, 'int64', ['steps', 2]);
  const rates = graph.input(RUN.rates, 'float32', ['steps']);
  const scale = graph.input(RUN.scale, 'float32', []);
  const good = graph.input(RUN.good, 'int64', []);

  const body = graph.body('step');
  const next = loopInputs(body);
  const step = body.input('step', 'int64', []);
  const kept = stateInputs(body, groups);
  const factor = body.input('scale', 'float32', []);
  const run = body.input('good', 'int64', []);

  const { sums, loss } = sumOverBatches(body, options, groups, { arrays, steps, step, kept, factor });
  const squares = sums.map((sum) => body.op('ReduceSumSquare', [sum], { keepdims: 0 }));
  const total = body.op('Sqrt', [body.op('Sum', squares)]);
  const norm = body.op('Div', [total, factor]);
  // False for infinity and NaN.
  const isFinite = body.op('Less', [norm, body.scalar(1e30)]);
  const clipNorm = body.scalar(publishedAdam.clipNorm);
  const clip = body.op('Div', [clipNorm, body.op('Max', [norm, clipNorm])]);
  const scalars = {
    isFinite,
    factor: body.op('Div', [clip, factor]),
    learningRate: body.op('Gather', [rates, step]),
  };
  const adamStep = adamNodes(body, scalars);
  const muonStep = options.optimiser === 'muon' ? muonNodes(body, scalars) : undefined;
  const updated = groups.map(({ name, decays, shapes, columns }, i) =>
    muonStep && usesMuon(name)
      ? { ...kept[i], ...muonStep(kept[i], sums[i], stacksOf(shapes), columns) }
      : adamStep(kept[i], sums[i], decays),
  );
  const after = scaleAfter(body, isFinite, factor, run, float);
  const done = body.op('Add', [step, body.op('Cast', [isFinite], { to: ElementType.int64 })]);
  const count = body.op('Gather', [body.op('Shape', [rates]), body.integers([0], [])]);
  const isLossFinite = body.op('Less', [body.op('Abs', [loss]), body.scalar(1e30)]);
  const canGoOn = body.op('And', [
    isLossFinite,
    body.op('Or', [isFinite, body.op('GreaterOrEqual', [after.scale, body.scalar(1)])]),
  ]);
  const goesOn = body.op('And', [body.op('Less', [done, count]), canGoOn]);
  body.output(goesOn, next, 'bool', []);
  body.output(done, 'steps done', 'int64', []);
  stateOutputs(body, groups, updated);
  body.output(after.scale, 'next scale', 'float32', []);
  body.output(after.good, 'next good', 'int64', []);
  body.output(loss, LOSS, 'float32', []);
  body.output(norm, RUN.norm, 'float32', []);

  const carried = [graph.integers([0], []), ...states, scale, good];
  const results = graph.ops('Loop', ['', graph.boolean(true), ...carried], carried.length + 2, { body });
  const [, ...outputs] = results;
  groups.forEach((group, i) =>
    STATE.forEach((array, j) => {
      const name = `new ${stateName(group, array)}`;
      graph.output(outputs[i * STATE.length + j], name, 'float32', groupShape(group));
    }),
  );
  const [scaleOut, goodOut, losses, norms] = outputs.slice(groups.length * STATE.length);
  graph.output(scaleOut, `new ${RUN.scale}`, 'float32', []);
  graph.output(goodOut, `new ${RUN.good}`, 'int64', []);
  graph.output(losses, LOSS, 'float32', ['runs']);
  graph.output(norms, RUN.norm, 'float32', ['runs']);
  return graph;
}

/** The graph of the forward pass of many micro-batches in one run, without dropout. */
export function scoringLoopGraph(options: DeviceGraphOptions): Graph {
  const { config, loss } = options;
  const graph = new Graph('bert-qe scoring on a device');
  const groups = parameterGroups(config, loss);
  const columns = scoreColumns(loss, config.labels);
  const { arrays, states } = runInputs(graph, options, groups, ['values']);
  const weights = weightsOf(graph, options, groups, states);
  const body = graph.body('batch');
  const next = loopInputs(body);
  const number = body.inputs[0].name as Value;
  const before = body.input('logits', 'float32', ['rows', columns]);
  const logits = batchScores(body, { ...options, dropout: 0 }, { arrays, number, weights });
  body.output(body.inputs[1].name as Value, next, 'bool', []);
  body.output(body.op('Concat', [before, logits], { axis: 0 }), 'more logits', 'float32', ['rows', columns]);
  const count = graph.op('Gather', [graph.op('Shape', [arrays.batches]), graph.integers([0], [])]);
  const none = graph.op('ConstantOfShape', [graph.integers([0, columns])]);
  const all = graph.op('Loop', [count, graph.boolean(true), none], { body });
  graph.output(all, SCORES, 'float32', ['rows', columns]);
  return graph;
}

/** The inputs of a run. The arrays are copied to the device once, not in every turn of the loop. */
function runInputs(
  graph: Graph,
  { loss }: DeviceGraphOptions,
  groups: readonly ParameterGroup[],
  kept: readonly (typeof STATE)[number][],
): { readonly arrays: RunArrays; readonly states: readonly Value[] } {
  const integers = (name: string, dim: string) =>
    graph.op('Cast', [graph.input(name, 'int32', [dim])], { to: ElementType.int64 });
  const arrays = {
    ids: integers(RUN.ids, 'tokens'),
    lengths: integers(RUN.lengths, 'sequences'),
    splits: integers(RUN.splits, 'sequences'),
    targets: graph.input(RUN.targets, 'float32', ['rows', 'columns']),
    wanted: loss === 'masked' ? integers(WANTED, 'tokens') : undefined,
    batches: graph.input(RUN.batches, 'int64', ['batches', BATCH_COLUMNS]),
  };
  const states = groups.flatMap((group) =>
    kept.map((array) => graph.input(stateName(group, array), 'float32', groupShape(group))),
  );
  return { arrays, states };
}

/** The first two inputs of a loop's body; returns the name of its first output. */
function loopInputs(body: Graph): string {
  body.input('turn', 'int64', []);
  body.input('goes on', 'bool', []);
  return 'goes on again';
}

export function groupShape({ size, columns }: ParameterGroup): readonly [number, number] {
  return [size / columns, columns];
}

function stateInputs(body: Graph, groups: readonly ParameterGroup[]): readonly GroupState[] {
  return groups.map((group) => {
    const [values, m, v] = STATE.map((array) =>
      body.input(stateName(group, array), 'float32', groupShape(group)),
    );
    return { values, m, v };
  });
}

function stateOutputs(body: Graph, groups: readonly ParameterGroup[], states: readonly GroupState[]): void {
  groups.forEach((group, i) => {
    for (const array of STATE) {
      body.output(states[i][array], `new ${stateName(group, array)}`, 'float32', groupShape(group));
    }
  });
}

/** The parameters in the type of the activations, by the names of their parts; the tables as one. */
function weightsOf(
  graph: Graph,
  options: DeviceGraphOptions,
  groups: readonly ParameterGroup[],
  values: readonly Value[],
): ReadonlyMap<string, Value> {
  const weights = new Map<string, Value>();
  groups.forEach(({ name, parts, columns }, i) => {
    const narrow =
      options.float === 'float32'
        ? values[i]
        : graph.op('Cast', [values[i]], { to: ElementType[options.float] });
    if (name === TABLES) {
      weights.set(TABLES, narrow);
      if (options.loss !== 'masked') return;
      const words = [graph.integers([0]), graph.integers([options.config.vocabulary])];
      weights.set(DECODER, graph.op('Slice', [narrow, ...words]));
      return;
    }
    const rows = parts.map(({ shape }) => sizeOf(shape) / columns);
    const cut = graph.ops('Split', [narrow, graph.integers(rows)], parts.length, { axis: 0 });
    parts.forEach((part, j) =>
      weights.set(part.name, graph.op('Reshape', [cut[j], graph.integers(part.shape)])),
    );
  });
  return weights;
}

/** The loop through the micro-batches of a step: the sums of their gradients, times `factor`, and of their losses. */
function sumOverBatches(
  body: Graph,
  options: DeviceGraphOptions,
  groups: readonly ParameterGroup[],
  {
    arrays,
    steps,
    step,
    kept,
    factor,
  }: {
    readonly arrays: RunArrays;
    readonly steps: Value;
    readonly step: Value;
    readonly kept: readonly GroupState[];
    readonly factor: Value;
  },
): { readonly sums: readonly Value[]; readonly loss: Value } {
  const values = kept.map((state) => state.values);
  const weights = weightsOf(body, options, groups, values);
  const row = body.op('Gather', [steps, step]);
  const first = body.op('Gather', [row, body.integers([0], [])]);
  const count = body.op('Gather', [row, body.integers([1], [])]);

  const inner = body.body('batch');
  const next = loopInputs(inner);
  const before = groups.map((group) => inner.input(`sum of ${group.name}`, 'float32', groupShape(group)));
  const lossBefore = inner.input('loss before', 'float32', []);
  const number = inner.op('Add', [first, inner.inputs[0].name as Value]);
  const source = { arrays, number, weights };
  const found = batchGradients(inner, options, groups, source, { before, scale: factor });
  inner.output(inner.inputs[1].name as Value, next, 'bool', []);
  groups.forEach((group, i) =>
    inner.output(found.sums[i], `new sum of ${group.name}`, 'float32', groupShape(group)),
  );
  inner.output(inner.op('Add', [lossBefore, found.loss]), 'loss after', 'float32', []);

  const zeros = groups.map((group) => body.op('ConstantOfShape', [body.integers(groupShape(group))]));
  const inputs = [count, body.boolean(true), ...zeros, body.scalar(0)];
  const outputs = body.ops('Loop', inputs, groups.length + 1, { body: inner });
  return { sums: outputs.slice(0, -1), loss: outputs.at(-1)! };
}

/** The factor of the loss in the next step, and the number of steps since it last changed. */
function scaleAfter(
  body: Graph,
  isFinite: Value,
  scale: Value,
  good: Value,
  float: 'float32' | 'float16',
): { readonly scale: Value; readonly good: Value } {
  const half = body.op('Mul', [scale, body.scalar(0.5)]);
  if (float === 'float32') return { scale: body.op('Where', [isFinite, scale, half]), good };
  const more = body.op('Add', [good, body.integers([1], [])]);
  const grows = body.op('GreaterOrEqual', [more, body.integers([GROWTH_STEPS], [])]);
  const doubled = body.op('Min', [body.op('Mul', [scale, body.scalar(2)]), body.scalar(LARGEST_SCALE)]);
  const zero = body.integers([0], []);
  const afterGood = body.op('Where', [grows, doubled, scale]);
  return {
    scale: body.op('Where', [isFinite, afterGood, half]),
    good: body.op('Where', [body.op('And', [isFinite, body.op('Not', [grows])]), more, zero]),
  };
}
