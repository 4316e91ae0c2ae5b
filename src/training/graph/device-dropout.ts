import type { Graph, Value } from '../../bert/onnx/index.js';
import type { Dropout } from './dropout.js';

/** Dropout by the runtime's operator, which draws its masks on the device. */
export class DeviceDropout implements Dropout {
  #drawn = 0;

  constructor(
    private readonly graph: Graph,
    private readonly rate: number,
    private readonly seed: number,
  ) {}

  ofTokens(x: Value): Value {
    return this.#dropped(x);
  }

  ofSequences(x: Value): Value {
    return this.#dropped(x);
  }

  ofAttention(shares: Value): Value {
    return this.#dropped(shares);
  }

  #dropped(x: Value): Value {
    if (this.rate === 0) return x;
    const { graph } = this;
    // Every operator has a stream of its own.
    const attributes = { seed: (this.seed * 1000 + this.#drawn++) % 2 ** 31 };
    return graph.ops('Dropout', [x, graph.scalar(this.rate), graph.boolean(true)], 2, attributes)[0];
  }
}
