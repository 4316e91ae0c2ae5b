import { ElementType, type Graph, MICROSOFT, type Value } from '../../../src/bert/onnx/index.js';

/**
 * Puts operators that a CPU has in place of the two that only CUDA has, in a packed float32 graph: sequences are
 * padded, attended to with a mask, and packed again.
 */
export function withPackingOnCpu(graph: Graph): Graph {
  const nodes = graph.nodes.splice(0);
  for (const node of nodes) {
    const inputs = node.inputs as readonly Value[];
    if (node.op === 'RestorePadding') {
      give(graph, restored(graph, inputs[0], inputs[1]), node.outputs[0]);
    } else if (node.op === 'PackedMultiHeadAttention') {
      const [q, k, v, , places, starts] = inputs;
      const sequences = [q, k, v].map((rows) => restored(graph, rows, places));
      const attended = graph.op(
        'MultiHeadAttention',
        [...sequences, '', mask(graph, places, starts)],
        node.attributes,
        MICROSOFT,
      );
      const width = graph.op('Slice', [graph.op('Shape', [q]), graph.integers([1]), graph.integers([2])]);
      const flat = graph.op('Concat', [graph.integers([-1]), width], { axis: 0 });
      const rows = graph.op('Reshape', [attended, flat]);
      give(graph, graph.op('Gather', [rows, tokenPlaces(graph, q, places)]), node.outputs[0]);
    } else {
      graph.nodes.push(node);
    }
  }
  return graph;
}

function give(graph: Graph, value: Value, name: string): void {
  graph.nodes.push({ op: 'Identity', domain: '', inputs: [value], outputs: [name], attributes: {} });
}

/** Places of tokens, without those of padding. */
function tokenPlaces(graph: Graph, rows: Value, places: Value): Value {
  const tokens = graph.op('Slice', [graph.op('Shape', [rows]), graph.integers([0]), graph.integers([1])]);
  const flat = graph.op('Reshape', [places, graph.integers([-1])]);
  return graph.op('Cast', [graph.op('Slice', [flat, graph.integers([0]), tokens])], {
    to: ElementType.int64,
  });
}

/** `[tokens, width]` → `[batch, sequence, width]`, 0 where there is padding. */
function restored(graph: Graph, rows: Value, places: Value): Value {
  const width = graph.op('Slice', [graph.op('Shape', [rows]), graph.integers([1]), graph.integers([2])]);
  const extent = graph.op('Shape', [places]);
  const all = graph.op('ReduceProd', [extent], { keepdims: 1 });
  const empty = graph.op('ConstantOfShape', [graph.op('Concat', [all, width], { axis: 0 })]);
  const indices = graph.op('Unsqueeze', [tokenPlaces(graph, rows, places), graph.integers([1])]);
  const filled = graph.op('ScatterND', [empty, indices, rows]);
  return graph.op('Reshape', [filled, graph.op('Concat', [extent, width], { axis: 0 })]);
}

/** 1 for tokens, 0 for padding: `[batch, sequence]`. */
function mask(graph: Graph, places: Value, starts: Value): Value {
  const ends = graph.op('Slice', [starts, graph.integers([1]), graph.integers([1 << 30])]);
  const firsts = graph.op('Slice', [starts, graph.integers([0]), graph.integers([-1])]);
  const lengths = graph.op('Unsqueeze', [graph.op('Sub', [ends, firsts]), graph.integers([1])]);
  const longest = graph.op('Gather', [graph.op('Shape', [places]), graph.integers([1], [])]);
  const range = graph.op('Range', [graph.integers([0], []), longest, graph.integers([1], [])]);
  const positions = graph.op('Cast', [range], { to: ElementType.int32 });
  return graph.op('Cast', [graph.op('Less', [positions, lengths])], { to: ElementType.int32 });
}
