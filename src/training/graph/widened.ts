import { ElementType, type Graph, type Value } from '../../bert/onnx/index.js';

/** A value in 32 bits. */
export function widened(graph: Graph, x: Value, type: 'float32' | 'float16'): Value {
  return type === 'float32' ? x : graph.op('Cast', [x], { to: ElementType.float32 });
}
