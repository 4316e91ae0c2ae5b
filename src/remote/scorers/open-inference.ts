import {
  DEFAULT_MAX_LENGTH,
  encodingOf,
  findModel,
  inputMeaning,
  loadTokenizer,
  plan,
  probabilities,
  type InputMeaning,
  type PlanOptions,
} from '../../bert/index.js';
import { failureError, inputError } from '../../common/errors.js';
import { HttpService, type ServiceOptions } from '../net/http-service.js';
import { RemoteScorer, type RemoteModel, type RemoteScorerOptions } from './remote-scorer.js';

/** The options of {@link openInferenceScorer}. */
export interface OpenInferenceOptions extends ServiceOptions, RemoteScorerOptions {
  /** Name of the model on the server. */
  readonly model: string;
  /** Model folder with the served model's tokenizer: texts are tokenised here, and ids are sent. */
  readonly tokenizer: string;
  /** Longest sequence, special tokens included (384). */
  readonly maxLength?: number;
  /** Tokens in a request (16,384). */
  readonly batchTokens?: number;
  /** Sequences in a request (64). */
  readonly batch?: number;
}

interface ServedTensor {
  readonly name: string;
  readonly datatype: string;
}

/** A tensor of a request or an answer, as JSON. */
interface Tensor extends ServedTensor {
  readonly shape: readonly number[];
  readonly data: readonly number[];
}

/** A scorer on Triton, OpenVINO Model Server or MLServer, by the Open Inference Protocol (KServe v2). */
export async function openInferenceScorer(
  options: OpenInferenceOptions,
  signal?: AbortSignal,
): Promise<RemoteScorer> {
  const service = new HttpService(options);
  const tokenizer = await loadTokenizer(await findModel(options.tokenizer));
  const path = `/v2/models/${encodeURIComponent(options.model)}`;
  const identity = `${service.address}${path}`;
  const served = await service.ask(path, undefined, (answer) => servedModel(answer, identity), signal);
  const { batchTokens = 16_384, batch = 64, maxLength = DEFAULT_MAX_LENGTH } = options;
  const planning = { ...encodingOf(tokenizer, maxLength), batchTokens };
  return new RemoteScorer(openInferenceModel(service, path, served, planning, batch), options);
}

/** The inputs and the output of a served model. */
interface Served {
  readonly inputs: readonly (ServedTensor & { readonly meaning: InputMeaning })[];
  readonly output: string;
  readonly version: string;
}

/** Reads the server's description of the model and refuses a model that cannot be used. */
function servedModel(answer: unknown, identity: string): Served {
  const { inputs, outputs, versions } = (answer ?? {}) as {
    inputs?: readonly ServedTensor[];
    outputs?: readonly ServedTensor[];
    versions?: readonly string[];
  };
  if (!Array.isArray(inputs) || !Array.isArray(outputs) || outputs.length === 0) {
    throw failureError(`${identity} does not describe a model with inputs and outputs.`);
  }
  const known = (inputs as readonly ServedTensor[]).map(({ name, datatype }) => {
    const meaning = inputMeaning(name);
    if (meaning === undefined || (datatype !== 'INT64' && datatype !== 'INT32')) {
      throw inputError(
        `${identity}: cannot feed its input "${name}" (${datatype}); expected INT64 or INT32 input_ids, ` +
          'attention_mask, token_type_ids.',
      );
    }
    return { name, datatype, meaning };
  });
  if (!known.some(({ meaning }) => meaning === 'ids')) {
    throw inputError(`${identity}: none of its inputs takes token ids.`);
  }
  const named = (outputs as readonly ServedTensor[]).find(({ name }) => /logits|scores/i.test(name));
  return { inputs: known, output: (named ?? outputs[0]).name, version: (versions ?? []).join(',') };
}

/** A served model that gets sequences in batches of one length, so that nothing is padded. */
function openInferenceModel(
  service: HttpService,
  path: string,
  { inputs, output, version }: Served,
  planning: PlanOptions,
  batch: number,
): RemoteModel {
  const identity = [`${service.address}${path}`, version].filter(Boolean).join(' ');
  const { secondSegment } = planning.template;

  const valuesOf: Readonly<Record<InputMeaning, (ids: Int32Array, splits: Int32Array) => number[]>> = {
    ids: (ids) => Array.from(ids),
    mask: (ids) => Array.from(ids, () => 1),
    types: (ids, splits) => {
      const length = ids.length / splits.length;
      return Array.from(ids, (_, i) => (i % length >= splits[Math.floor(i / length)] ? secondSegment : 0));
    },
  };

  const read = (answer: unknown, count: number): Float32Array => {
    const { outputs } = (answer ?? {}) as { outputs?: unknown };
    const tensors = (Array.isArray(outputs) ? outputs : []) as readonly (Partial<Tensor> | null)[];
    const found = tensors.find((tensor) => tensor?.name === output) ?? tensors[0];
    const data: unknown = found?.data;
    const values = Array.isArray(data) ? (data.flat() as number[]) : undefined;
    const labels = values ? values.length / count : 0;
    if (labels !== 1 && labels !== 2) {
      throw failureError(
        `${identity} answered ${values?.length ?? 'no'} numbers for ${count} pairs; expected one or two logits each.`,
      );
    }
    return probabilities({ labels, values: Float32Array.from(values!) });
  };

  const send = (ids: Int32Array, splits: Int32Array, signal: AbortSignal): Promise<Float32Array> => {
    const count = splits.length;
    const shape = [count, ids.length / count];
    const filled = inputs.map(({ name, datatype, meaning }): Tensor => {
      return { name, datatype, shape, data: valuesOf[meaning](ids, splits) };
    });
    const body = { inputs: filled, outputs: [{ name: output }] };
    return service.ask(`${path}/infer`, body, (answer) => read(answer, count), signal);
  };

  return {
    identity,
    concurrency: service.concurrency,
    async *requests(pairs, signal) {
      for await (const { task, pairs: places } of plan(pairs, planning, signal)) {
        let row = 0;
        let start = 0;
        for (const { rows, length } of task.shapes) {
          for (let from = 0; from < rows; from += batch) {
            const count = Math.min(batch, rows - from);
            const ids = task.ids.subarray(start, start + count * length);
            const splits = task.splits.subarray(row, row + count);
            yield { places: places.subarray(row, row + count), send: () => send(ids, splits, signal) };
            row += count;
            start += count * length;
          }
        }
      }
    },
  };
}
