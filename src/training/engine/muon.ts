import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { Graph } from '../../bert/onnx/index.js';
import { muonNodes, usesMuon } from '../graph/index.js';
import type { Parameter } from './parameter.js';
import { openGraph } from './session.js';

const [CLIP, RATE] = ['clip', 'learning rate'];

function scalar(value: number): Tensor {
  return new Tensor('float32', Float32Array.of(value), []);
}

/** Muon for the matrices of a model's layers. Its products of matrices are computed by the runtime. */
export class Muon {
  readonly #feeds: Record<string, Tensor> = {};
  /** Results are written over what they are computed from, which is read but once, and before. */
  readonly #results: Record<string, Tensor> = {};

  private constructor(
    readonly parameters: ReadonlySet<Parameter>,
    private readonly session: InferenceSession,
  ) {
    for (const { name, shape, values, gradient, m } of parameters) {
      for (const [array, data] of Object.entries({ values, gradient, m })) {
        const tensor = new Tensor('float32', data, shape);
        this.#feeds[`${array} of ${name}`] = tensor;
        if (array !== 'gradient') this.#results[`new ${array} of ${name}`] = tensor;
      }
    }
  }

  static async open(all: readonly Parameter[], threads: number): Promise<Muon> {
    const parameters = new Set(all.filter(({ name }) => usesMuon(name)));
    const graph = new Graph('bert-qe muon');
    const nodesOf = muonNodes(graph, {
      isFinite: graph.boolean(true),
      factor: graph.input(CLIP, 'float32', []),
      learningRate: graph.input(RATE, 'float32', []),
    });
    for (const { name, shape } of parameters) {
      const [rows, columns] = shape;
      const input = (array: string) => graph.input(`${array} of ${name}`, 'float32', shape);
      const [values, m] = [input('values'), input('m')];
      const after = nodesOf({ values, m }, input('gradient'), [{ count: 1, rows, columns }], columns);
      graph.output(after.values, `new values of ${name}`, 'float32', shape);
      graph.output(after.m, `new m of ${name}`, 'float32', shape);
    }
    return new Muon(parameters, await openGraph(graph, 'cpu', threads));
  }

  /** Updates its parameters by their gradients, times `clip`. */
  async step(learningRate: number, clip: number): Promise<void> {
    await this.session.run(
      { ...this.#feeds, [CLIP]: scalar(clip), [RATE]: scalar(learningRate) },
      this.#results,
    );
  }

  release(): Promise<void> {
    return this.session.release();
  }
}
