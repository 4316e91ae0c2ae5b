import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findModel, loadTokenizer } from '../../../src/bert/index.js';
import { prepareModel } from '../../../src/bert/scorer/model-source.js';
import { openSession } from '../../../src/bert/scorer/open-session.js';
import { createSharedTask } from '../../../src/bert/scorer/shared-task.js';

interface Tensor {
  readonly name: string;
  readonly shape: readonly [number, number];
  readonly datatype: string;
  readonly data: readonly number[];
}

/** A small server of the Open Inference Protocol: token ids in, logits of a real model out. */
export async function openInferenceServer(model: string): Promise<{ url: string; close(): Promise<void> }> {
  const folder = await findModel(model);
  const tokenizer = await loadTokenizer(folder);
  const prepared = await prepareModel(folder, 'fp32', 'cpu', tokenizer);
  const { secondSegment } = tokenizer.template;
  const session = await openSession({
    model: prepared,
    device: 'cpu',
    threads: 1,
    secondSegment,
  });
  const inputs = ['input_ids', 'attention_mask', 'token_type_ids'].map((name) => ({
    name,
    datatype: 'INT64',
    shape: [-1, -1],
  }));
  const outputs = [{ name: 'logits', datatype: 'FP32', shape: [-1, session.labels] }];

  async function infer(tensors: readonly Tensor[]) {
    const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
    const ids = byName.get('input_ids')!;
    const types = byName.get('token_type_ids')!;
    const [rows, length] = ids.shape;
    const splits = Int32Array.from({ length: rows }, (_, row) =>
      types.data.slice(row * length, (row + 1) * length).indexOf(1),
    );
    const shared = createSharedTask(1, rows * session.labels);
    await session.run({ ids: Int32Array.from(ids.data), splits, shapes: [{ rows, length }] }, shared);
    return { outputs: [{ ...outputs[0], shape: [rows, session.labels], data: Array.from(shared.logits) }] };
  }

  // onnxruntime runs one batch of a session at a time.
  let last: Promise<unknown> = Promise.resolve();
  const server = createServer((request, response) => {
    void (async () => {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      const path = `/v2/models/${model}`;
      if (request.url === path)
        return answer(response, 200, { name: model, versions: ['1'], platform: 'test', inputs, outputs });
      if (request.url !== `${path}/infer`)
        return answer(response, 404, { error: `unknown model ${request.url}` });
      const running = last.then(() => infer((JSON.parse(text) as { inputs: Tensor[] }).inputs));
      last = running.catch(() => undefined);
      return answer(response, 200, await running);
    })().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await last;
      await session.release();
    },
  };
}

function answer(response: ServerResponse, status: number, json: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
}
