import {
  type Attribute,
  ElementType,
  Graph,
  type GraphInput,
  type GraphNode,
  type Initializer,
  MICROSOFT,
  OPSET,
} from './graph.js';
import { Message } from './protobuf.js';

/** The version of the file format (ModelProto.ir_version) that belongs to opset 20. */
const IR_VERSION = 9;

const AttributeType = { float: 1, int: 2, string: 3, graph: 5, ints: 7 } as const;

/** The location of a tensor's bytes outside the model file. */
interface ExternalLocation {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

/** A tensor's bytes in the model file, or their location outside it. */
export type TensorStorage = Uint8Array | ExternalLocation;

type Stored = ReadonlyMap<Initializer, TensorStorage>;

/** The ModelProto of a graph. Field numbers are those of onnx.proto. */
export function encodeModel(graph: Graph, stored: Stored): Message {
  const domains = new Set(['']);
  const body = encodeGraph(graph, stored, domains);
  const model = new Message().integer(1, IR_VERSION).string(2, 'bert-qe').message(7, body);
  for (const domain of domains) {
    model.message(8, new Message().string(1, domain).integer(2, domain === MICROSOFT ? 1 : OPSET));
  }
  return model;
}

/** A graph, whose nodes' domains are added to `domains`. */
function encodeGraph(graph: Graph, stored: Stored, domains: Set<string>): Message {
  const message = new Message();
  for (const node of graph.nodes) {
    domains.add(node.domain);
    message.message(1, encodeNode(node, stored, domains));
  }
  message.string(2, graph.name);
  for (const tensor of graph.initializers) message.message(5, encodeTensor(tensor, stored.get(tensor)!));
  for (const input of graph.inputs) message.message(11, encodeValueInfo(input));
  for (const output of graph.outputs) message.message(12, encodeValueInfo(output));
  return message;
}

function encodeNode(node: GraphNode, stored: Stored, domains: Set<string>): Message {
  const message = new Message();
  for (const input of node.inputs) message.string(1, input);
  for (const output of node.outputs) message.string(2, output);
  message.string(3, node.outputs[0]).string(4, node.op);
  for (const [name, value] of Object.entries(node.attributes)) {
    message.message(5, encodeAttribute(name, value, stored, domains));
  }
  return message.string(7, node.domain);
}

function encodeAttribute(name: string, value: Attribute, stored: Stored, domains: Set<string>): Message {
  const message = new Message().string(1, name);
  if (value instanceof Graph) {
    return message.message(6, encodeGraph(value, stored, domains)).integer(20, AttributeType.graph);
  }
  if (typeof value === 'number') return message.integer(3, value).integer(20, AttributeType.int);
  if (typeof value === 'string') return message.string(4, value).integer(20, AttributeType.string);
  if ('float' in value) return message.float(2, value.float).integer(20, AttributeType.float);
  return message.integers(8, value).integer(20, AttributeType.ints);
}

function encodeTensor(tensor: Initializer, stored: TensorStorage): Message {
  const message = new Message()
    .integers(1, tensor.dims)
    .integer(2, ElementType[tensor.type])
    .string(8, tensor.name);
  if (stored instanceof Uint8Array) return message.bytes(9, stored);
  const entries = { location: stored.file, offset: String(stored.offset), length: String(stored.length) };
  for (const [key, value] of Object.entries(entries)) {
    message.message(13, new Message().string(1, key).string(2, value));
  }
  return message.integer(14, 1);
}

function encodeValueInfo({ name, type, dims }: GraphInput): Message {
  const shape = new Message();
  for (const dim of dims) {
    shape.message(1, typeof dim === 'number' ? new Message().integer(1, dim) : new Message().string(2, dim));
  }
  const tensorType = new Message().integer(1, ElementType[type]).message(2, shape);
  return new Message().string(1, name).message(2, new Message().message(1, tensorType));
}
