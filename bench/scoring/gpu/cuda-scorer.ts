// node cuda-scorer.js SIZES PASSAGES [OPTIONS JSON…]: the whole scorer on CUDA, from text to probabilities, on the
// phase-three workload, and how far its logits are from the CPU's in fp32. LENGTHS=FILE also writes the
// lengths of all pairs there.
import { rmSync, writeFileSync } from 'node:fs';
import { BertScorer, kendallTau, type ScorerOptions } from '../../../src/bert/index.js';
import type { SizeLetter } from '../../../src/bert/sizes.js';
import { modelFolder } from '../model-folder.js';
import { phaseThree } from '../workload.js';
import { workloadSize } from '../workload-size.js';

const [sizes, passages, ...layouts] = process.argv.slice(2);
const all = await phaseThree(Number(passages));
const ways =
  layouts.length > 0 ? layouts.map((layout) => JSON.parse(layout) as Partial<ScorerOptions>) : [{}];

/** Pairs whose logits are compared with the CPU's. */
const COMPARED = { T: 2000, S: 2000, M: 500, B: 200, L: 100 } as const;

/** Relevance before the sigmoid. */
function margins(values: Float32Array): number[] {
  return Array.from({ length: values.length / 2 }, (_, i) => values[2 * i + 1] - values[2 * i]);
}

for (const size of sizes as Iterable<SizeLetter>) {
  const { folder, trained } = await modelFolder(size);
  const pairs = size === 'L' || size === 'B' ? all.slice(0, 10_000) : all;
  const compared = pairs.slice(0, COMPARED[size]);
  const { tokens, flops } = await workloadSize(folder, pairs);
  const exactScorer = await BertScorer.load({ model: folder, device: 'cpu', precision: 'fp32' });
  if (process.env['LENGTHS']) {
    writeFileSync(process.env['LENGTHS'], JSON.stringify(all.map((pair) => exactScorer.lengthOf(pair))));
  }
  const exact = (await exactScorer.scoreLogits(compared)).values;
  await exactScorer.close();
  for (const options of ways) {
    const way = { kind: 'cuda scorer', size, ...options };
    try {
      const scorer = await BertScorer.load({ model: folder, device: 'cuda', ...options });
      const seconds: number[] = [];
      let total = 0;
      while (seconds.length < 3 || total < 2) {
        const start = performance.now();
        await scorer.score(pairs);
        seconds.push((performance.now() - start) / 1000);
        total += seconds.at(-1)!;
      }
      const [first, ...later] = seconds;
      const median = later.sort((a, b) => a - b)[later.length >> 1];
      const found = (await scorer.scoreLogits(compared)).values;
      const differences = Array.from(found, (value, i) => Math.abs(value - exact[i]));
      const { precision, batchTokens, workers } = scorer.info;
      console.log(
        JSON.stringify({
          ...way,
          precision,
          batchTokens,
          workers,
          trained,
          pairs: pairs.length,
          meanTokens: Number((tokens / pairs.length).toFixed(1)),
          firstPairsPerSecond: Math.round(pairs.length / first),
          pairsPerSecond: Math.round(pairs.length / median),
          teraflops: Number((flops / median / 1e12).toFixed(1)),
          difference: Math.max(...differences),
          rms: Math.sqrt(differences.reduce((sum, each) => sum + each ** 2, 0) / differences.length),
          tau: kendallTau(margins(exact), margins(found)),
        }),
      );
      await scorer.close();
    } catch (error) {
      console.log(JSON.stringify({ ...way, error: String(error).slice(0, 400) }));
    }
  }
  if (!trained) rmSync(folder, { recursive: true });
}
