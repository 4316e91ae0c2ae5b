// node scorer.js SIZES PASSAGES [BATCH_TOKENS…]: the whole scorer on WebGPU, from text to probabilities, on the phase-three workload.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { SizeLetter } from '../../../src/bert/sizes.js';
import { BertScorer } from '../../../src/bert/scorer/bert-scorer.js';
import { modelFolder } from '../model-folder.js';
import { phaseThree } from '../workload.js';
import { workloadSize } from '../workload-size.js';

const [sizes, passages, ...others] = process.argv.slice(2);
const pairs = await phaseThree(Number(passages));

/** The scorer's own choice of a batch, and others beside it. */
const LAYOUTS: readonly { readonly batchTokens?: number }[] = [
  {},
  ...others.map((tokens) => ({ batchTokens: Number(tokens) })),
];

/** Of the whole card, which nothing else should be using. */
function usedMemory(): number | undefined {
  try {
    return Number(execFileSync('nvidia-smi', ['--query-gpu=memory.used', '--format=csv,noheader,nounits']));
  } catch {
    return undefined;
  }
}

for (const size of sizes as Iterable<SizeLetter>) {
  const { folder, trained } = await modelFolder(size);
  const { flops } = await workloadSize(folder, pairs);
  let exact: Float32Array | undefined;
  for (const precision of ['fp32', 'fp16'] as const) {
    for (const layout of LAYOUTS) {
      const way = { kind: 'scorer', size, precision, workers: 1, ...layout };
      try {
        const scorer = await BertScorer.load({
          model: folder,
          device: 'webgpu',
          precision,
          workers: 1,
          ...layout,
        });
        const { values } = await scorer.scoreLogits(pairs);
        const memory = usedMemory();
        const start = performance.now();
        await scorer.scoreLogits(pairs);
        const seconds = (performance.now() - start) / 1000;
        exact ??= values;
        const reference = exact;
        const difference = values.reduce(
          (most, value, i) => Math.max(most, Math.abs(value - reference[i])),
          0,
        );
        console.log(
          JSON.stringify({
            ...way,
            batchTokens: scorer.info.batchTokens,
            byDefault: layout.batchTokens === undefined,
            trained,
            pairs: pairs.length,
            pairsPerSecond: pairs.length / seconds,
            teraflops: flops / seconds / 1e12,
            difference,
            ...(memory !== undefined && { mebibytes: memory }),
          }),
        );
        await scorer.close();
      } catch (error) {
        console.log(JSON.stringify({ ...way, error: String(error).slice(0, 300) }));
      }
    }
  }
  if (!trained) rmSync(folder, { recursive: true });
}
