import { expect } from 'vitest';
import { type Graph, modelBytes } from '../../src/bert/onnx/index.js';
import {
  type NetworkEngine,
  type NetworkParameter,
  openNetworkEngine,
} from '../../src/training/engine/network-engine.js';
import { seededTensor } from '../bert/graph/seeded-model.js';
import { distance, normOf, type Summary } from './projections.js';

/** The gradients of PyTorch's first step, and the changes of tensors by all steps so far, after each step. */
export interface FixtureSteps {
  readonly losses: readonly number[];
  readonly gradients: Readonly<Record<string, Summary>>;
  readonly changes: readonly Readonly<Record<string, Summary>>[];
}

/** The engine of a network with the fixture's weights; `more` is what a parameter has besides. */
export async function seededNetwork(
  shapes: ReadonlyMap<string, readonly number[]>,
  scoring: Graph,
  training: Graph,
  epsilon: number,
  more: (name: string) => Partial<NetworkParameter> = () => ({}),
): Promise<NetworkEngine> {
  const parameters = Array.from(shapes, ([name, shape]) => {
    return { name, shape, values: seededTensor(name, shape), ...more(name) };
  });
  const graphs = { scoring: await modelBytes(scoring), training: await modelBytes(training) };
  return openNetworkEngine({ parameters, ...graphs }, { epsilon, dropout: 0, seed: 1, threads: 1 });
}

/** Half of the distance between neighbouring single-precision numbers, relatively: what storing a weight can cost. */
const rounding = 2 ** -24;

/** Compares an engine's gradients with PyTorch's to 1e-4 of their norm; tiny ones with the norm of all. */
export function expectGradients({ parameters }: NetworkEngine, { gradients }: FixtureSteps): void {
  expect([...parameters.keys()].sort()).toEqual(Object.keys(gradients).sort());
  const whole = Math.hypot(...Object.values(gradients).map(([norm]) => norm));
  for (const { name, gradient } of parameters.values()) {
    const expected = gradients[name];
    const size = Math.max(expected[0], 1e-3 * whole);
    expect(distance(name, gradient, expected), `gradient of ${name}`).toBeLessThan(1e-4 * size);
  }
}

/** Compares the changes of an engine's tensors since the start with PyTorch's. */
export function expectChanges(
  { parameters }: NetworkEngine,
  before: ReadonlyMap<string, Float32Array>,
  { gradients, changes }: FixtureSteps,
  step: number,
): void {
  const whole = Math.hypot(...Object.values(gradients).map(([norm]) => norm));
  for (const { name, values } of parameters.values()) {
    const expected = changes[step][name];
    const change = values.map((value, i) => value - before.get(name)![i]);
    // If the true gradient is 0 (biases of keys), the change is noise.
    if (gradients[name][0] < 1e-6 * whole) continue;
    const allowed = 1e-3 * expected[0] + (step + 1) * rounding * normOf(values);
    expect(distance(name, change, expected), `${name} after step ${step + 1}`).toBeLessThan(allowed);
  }
}
