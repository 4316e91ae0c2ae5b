import { type AdamSettings, decays } from '../graph/index.js';
import { type Parameter, EmbeddingTable } from './parameter.js';

/**
 * Moments below this become 0. The first moment of a word without gradients falls tenfold every 22 steps, too small to
 * change a weight. Without the limit it would become denormal, and arithmetic a hundred times slower.
 */
const LEAST_MOMENT = 1e-30;

export function gradientNorm(parameters: Iterable<Parameter>): number {
  let sum = 0;
  for (const parameter of parameters) {
    const { gradient } = parameter;
    if (parameter instanceof EmbeddingTable) {
      for (const row of parameter.touched) {
        sum += squares(gradient, row * parameter.width, (row + 1) * parameter.width);
      }
    } else {
      sum += squares(gradient, 0, gradient.length);
    }
  }
  return Math.sqrt(sum);
}

function squares(values: Float32Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += values[i] * values[i];
  return sum;
}

/** Updates a parameter; `norm` is the norm of the gradients of all. */
export function adamStep(
  parameter: Parameter,
  settings: AdamSettings,
  learningRate: number,
  norm: number,
): void {
  const scale = norm > settings.clipNorm ? settings.clipNorm / norm : 1;
  const decay = decays(parameter.name) ? settings.weightDecay : 0;
  if (!(parameter instanceof EmbeddingTable)) {
    return update(parameter, 0, parameter.values.length, settings, learningRate, decay, scale);
  }
  const { width, moving } = parameter;
  for (let from = 0; from < moving.length;) {
    let to = from + 1;
    while (to < moving.length && moving[to] === moving[from]) to++;
    if (moving[from]) update(parameter, from * width, to * width, settings, learningRate, decay, scale);
    else shrink(parameter.values, from * width, to * width, learningRate * decay);
    from = to;
  }
}

/** m ← β₁m + (1-β₁)g, v ← β₂v + (1-β₂)g², w ← w − η·(m/(√v + ε) + λw), computed in double precision. */
function update(
  { values, gradient, m, v }: Parameter,
  from: number,
  to: number,
  { beta1, beta2, epsilon }: AdamSettings,
  learningRate: number,
  decay: number,
  scale: number,
): void {
  for (let i = from; i < to; i++) {
    const g = gradient[i] * scale;
    let first = beta1 * m[i] + (1 - beta1) * g;
    let second = beta2 * v[i] + (1 - beta2) * g * g;
    if (first < LEAST_MOMENT && first > -LEAST_MOMENT) first = 0;
    if (second < LEAST_MOMENT) second = 0;
    m[i] = first;
    v[i] = second;
    const value = values[i];
    values[i] = value - learningRate * (first / (Math.sqrt(second) + epsilon) + decay * value);
  }
}

function shrink(values: Float32Array, from: number, to: number, share: number): void {
  if (share === 0) return;
  for (let i = from; i < to; i++) values[i] -= share * values[i];
}
