/** The share of the mean moment that is added to every channel's own, so that none is nearly a sum of the others. */
const DAMPING = 0.01;

/**
 * Rounds the weights of a layer, `[outputs, inputs]`, to whole numbers of `scales` so that their products change little
 * (GPTQ, Frantar et al. 2023): the error of each weight is made up for by the weights of the inputs that follow, as far
 * as the inputs go together. `moments` are the sums of products of two inputs; without them every weight is rounded to
 * the nearest number.
 */
export function roundedWeights(
  weights: Float32Array,
  scales: Float32Array,
  moments: Float64Array | undefined,
): Int8Array {
  const outputs = scales.length;
  const inputs = weights.length / outputs;
  const values = new Int8Array(weights.length);
  const order = moments ? inputsByMoment(moments, inputs) : Uint32Array.from({ length: inputs }, (_, i) => i);
  const shares = moments && errorShares(moments, order);
  const row = new Float64Array(inputs);
  for (let output = 0; output < outputs; output++) {
    const start = output * inputs;
    const scale = scales[output];
    for (let i = 0; i < inputs; i++) row[i] = weights[start + order[i]] / scale;
    for (let i = 0; i < inputs; i++) {
      const value = Math.max(-127, Math.min(127, Math.round(row[i])));
      values[start + order[i]] = value;
      if (!shares) continue;
      const error = row[i] - value;
      const from = i * inputs;
      for (let later = i + 1; later < inputs; later++) row[later] -= error * shares[from + later];
    }
  }
  return values;
}

/** The inputs with the largest moments first: the errors that matter most find the most inputs to make up for them. */
function inputsByMoment(moments: Float64Array, inputs: number): Uint32Array {
  const own = (input: number) => moments[input * inputs + input];
  return Uint32Array.from({ length: inputs }, (_, i) => i).sort((a, b) => own(b) - own(a));
}

/**
 * What a unit of error of input i takes from the weight of a later input j: row i of the upper triangle U, divided by
 * its diagonal, where UᵀU is the inverse of the moments. With H = M·Mᵀ and M upper triangular, U is M⁻¹.
 */
function errorShares(moments: Float64Array, order: Uint32Array): Float64Array {
  const n = order.length;
  const upper = choleskyFromEnd(moments, order);
  const shares = new Float64Array(n * n);
  for (let i = n - 1; i >= 0; i--) {
    const row = shares.subarray(i * n, (i + 1) * n);
    row[i] = 1;
    for (let k = i + 1; k < n; k++) {
      // Row k of M⁻¹ is its row of shares over its own diagonal.
      const factor = upper[i * n + k] / upper[k * n + k];
      if (factor === 0) continue;
      const known = shares.subarray(k * n, (k + 1) * n);
      for (let j = k; j < n; j++) row[j] -= factor * known[j];
    }
  }
  return shares;
}

/** M of H = M·Mᵀ, upper triangular, for the damped moments in the given order. */
function choleskyFromEnd(moments: Float64Array, order: Uint32Array): Float64Array {
  const n = order.length;
  let trace = 0;
  for (let i = 0; i < n; i++) trace += moments[i * n + i];
  const damping = (DAMPING * trace) / n || 1;
  const upper = new Float64Array(n * n);
  for (let j = n - 1; j >= 0; j--) {
    const below = upper.subarray(j * n, (j + 1) * n);
    for (let i = j; i >= 0; i--) {
      const row = upper.subarray(i * n, (i + 1) * n);
      let sum = moments[order[i] * n + order[j]] + (i === j ? damping : 0);
      for (let k = j + 1; k < n; k++) sum -= row[k] * below[k];
      row[j] = i === j ? Math.sqrt(sum) : sum / below[j];
    }
  }
  return upper;
}
