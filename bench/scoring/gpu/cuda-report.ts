import { existsSync, readFileSync } from 'node:fs';

/** A line of the results of cuda-graphs, cuda-exactness, cuda-scorer, cuda-bert-qe or pytorch_mixed.py. */
type Row =
  | {
      readonly kind: 'cuda graph';
      readonly size: string;
      readonly precision: string;
      readonly tokens: number;
      readonly mix: string;
      readonly pairsPerSecond: number;
      readonly teraflops: number;
    }
  | {
      readonly kind: 'cuda exactness';
      readonly size: string;
      readonly precision: string;
      readonly lengths: readonly number[];
      readonly differences: readonly number[];
    }
  | {
      readonly kind: 'cuda scorer';
      readonly size: string;
      readonly precision: string;
      readonly batchTokens: number;
      readonly workers: number;
      readonly trained: boolean;
      readonly pairs: number;
      readonly meanTokens: number;
      readonly pairsPerSecond: number;
      readonly firstPairsPerSecond: number;
      readonly teraflops: number;
      readonly difference: number;
      readonly tau: number;
    }
  | {
      readonly kind: 'pytorch mixed';
      readonly size: string;
      readonly precision: string;
      readonly order: 'given' | 'sorted';
      readonly pairsPerSecond: number;
    }
  | {
      readonly kind: 'cuda bert-qe';
      readonly variant: string;
      readonly seconds: number;
      readonly pairs: number;
      readonly flops: number;
    };

type OfKind<K extends Row['kind']> = Extract<Row, { kind: K }>;

const SIZES = ['T', 'S', 'B', 'L'] as const;

/** The section on CUDA, from a file of result lines. */
export function renderCuda(file: string): string[] {
  if (!existsSync(file)) return [];
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row & { error?: string })
    .filter((row) => row.error === undefined);
  const of = <K extends Row['kind']>(kind: K) => rows.filter((row): row is OfKind<K> => row.kind === kind);
  return [
    '## On a GPU, through CUDA',
    '',
    'One NVIDIA H200 (driver 580.159, CUDA 13.0, 16 cores), onnxruntime-node 1.30 with the provider libraries of onnxruntime-gpu 1.30.0 (`bert-qe device install cuda`), Node 20; PyTorch 2.11 with transformers 5.17 and SDPA. ' +
      'T and S are the models of the package, B and L have random weights. Ours and PyTorch’s rates are of different runs; in runs with both, ours were 171 (T), 164 (S), 125 (B) and 117 % (L) of PyTorch’s sorted batches.',
    '',
    ...scorers(of('cuda scorer'), of('pytorch mixed')),
    '',
    ...graphs(of('cuda graph')),
    '',
    ...exactness(of('cuda exactness')),
    '',
    ...queries(of('cuda bert-qe')),
    '',
    ...FINDINGS,
  ];
}

function scorers(
  rows: readonly OfKind<'cuda scorer'>[],
  peers: readonly OfKind<'pytorch mixed'>[],
): string[] {
  const peer = (size: string, order: 'given' | 'sorted') => {
    const rates = peers.filter((row) => row.size === size && row.order === order);
    return Math.max(...rates.map((row) => row.pairsPerSecond));
  };
  return [
    '### The whole scorer, from text to probabilities',
    '',
    '`node --import tsx bench/scoring/gpu/cuda-scorer.ts TS 6000` and `BL 1000`, `python3 bench/scoring/gpu/pytorch_mixed.py TSBL lengths.json`. Pairs of phase three: real text, 142 tokens in the mean (138 for B and L). ' +
      'Ours tokenises, packs and copies within the time; PyTorch is the model alone, ids on the card, the best of fp16 and bf16 and of two or three batch sizes: in the order given, padded to the longest of a batch, and with all pairs sorted by length. ' +
      'Differences are of logits from our CPU in fp32, over 2,000 pairs of T and S, 200 of B, 100 of L.',
    '',
    '| size | precision | tokens in a batch | workers | pairs/s | TFLOP/s | first call, pairs/s | PyTorch, as given | PyTorch, sorted | of the latter | largest difference | τ |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...rows.map((row) => {
      const isHalf = row.precision === 'fp16';
      const cells = isHalf
        ? [
            count(peer(row.size, 'given')),
            count(peer(row.size, 'sorted')),
            `${Math.round((100 * row.pairsPerSecond) / peer(row.size, 'sorted'))} %`,
          ]
        : ['', '', ''];
      const tau = row.trained ? row.tau.toFixed(4) : '';
      const precision = isHalf ? 'fp16' : 'tf32';
      return (
        `| ${row.size} | ${precision} | ${count(row.batchTokens)} | ${row.workers} | ${count(row.pairsPerSecond)} | ${row.teraflops} | ` +
        `${count(row.firstPairsPerSecond)} | ${cells.join(' | ')} | ${row.difference.toExponential(1)} | ${tau} |`
      );
    }),
  ];
}

function graphs(rows: readonly OfKind<'cuda graph'>[]): string[] {
  const cell = (size: string, mix: string) => {
    const of = rows.filter((row) => row.size === size && row.mix === mix && row.precision === 'fp16');
    const best = of.sort((a, b) => b.pairsPerSecond - a.pairsPerSecond)[0];
    return `${count(best.pairsPerSecond)} (${best.teraflops.toFixed(0)}; ${count(best.tokens)})`;
  };
  return [
    '### Graphs alone, fp16: pairs per second (useful TFLOP/s; tokens in the best batch)',
    '',
    '| size | 160 tokens each | 80 to 240 tokens |',
    '|---|---|---|',
    ...SIZES.map((size) => `| ${size} | ${cell(size, '160')} | ${cell(size, '80–240')} |`),
  ];
}

function exactness(rows: readonly OfKind<'cuda exactness'>[]): string[] {
  const { lengths } = rows[0];
  return [
    '### Largest difference of a logit from Hugging Face transformers in fp32',
    '',
    `Seeded random weights, sequences of ${lengths.join(', ')} tokens packed in one batch (limits 5e-3 in fp16, 1e-3 in TF32): ` +
      `${rows.map(({ size, precision, differences }) => `${size} ${precision} ${Math.max(...differences).toExponential(1)}`).join(', ')}.`,
  ];
}

function queries(rows: readonly OfKind<'cuda bert-qe'>[]): string[] {
  return [
    '### BERT-QE for one query',
    '',
    '`node --import tsx bench/scoring/gpu/cuda-bert-qe.ts LLL LMT LLS SST`: 1,000 documents of 480 words of real text, kd 10, kc 10, chunks of 10 words, fp16; the mean of two queries after a first one.',
    '',
    '| variant | pairs | TFLOP | seconds a query | pairs/s | 250 queries (Robust04), estimated |',
    '|---|---|---|---|---|---|',
    ...rows.map(
      ({ variant, pairs, flops, seconds }) =>
        `| ${variant} | ${count(pairs)} | ${(flops / 1e12).toFixed(0)} | ${seconds.toFixed(2)} | ${count(pairs / seconds)} | ${((250 * seconds) / 60).toFixed(1)} min |`,
    ),
  ];
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

const FINDINGS = [
  '### What decides the speed',
  '',
  '- **Packing**: sequences follow each other without padding, so lengths between 80 and 240 tokens cost no more than equal ones (1 % for L, 2 % for B, 6 % for T).',
  '- **Attention** (pairs/s of bare graphs, lengths mixed): three products and PackedMultiHeadAttention, which then runs flash attention on the products as they are, 4,835 of L and 15,130 of B; PackedAttention 4,688 and 14,181; one product for queries, keys and values 4,823 of L. The bias of keys has no effect on a softmax, and that of values is part of the output’s, so only queries get theirs.',
  '- **The last layer for [CLS] alone**: 699,000 pairs/s of T instead of 506,000.',
  '- **Workers**: one gives 393,000 pairs/s of T and 183,000 of S, two 505,000 and 215,000, three 611,000 and 222,000, four 652,000 of T; B gains 1 % from a second, L nothing.',
  '- **Other precisions**, eight products of 65,536 × 1,024 × 1,024 with the casts they need: fp16 385 TFLOP/s, bf16 360, fp32 (TF32) 254, fp8 (GemmFloat8) 266, int8 (MatMulInteger) 83, 8-bit weights (MatMulNBits) 382. Nothing is faster than fp16, and packed attention has no bf16.',
  '- **fp32**: CUDA rounds the factors of float32 products to TF32, and the runtime’s binding has no switch for that. So `fp32` splits each factor into its first 11 bits and the rest and adds three products. Logits are within 1.3e-6 (T), 2.5e-6 (S) and 1.1e-5 (B) of transformers, for sequences of 3, 17, 150 and 384 tokens packed in one batch (`bench/scoring/gpu/cuda-exactness.ts`); `tf32` is one product. The last layer, which is computed for one token per sequence, is split in every precision. Its speed was not measured. (NVIDIA_TF32_OVERRIDE=0 is no way: in a process with that setting, 1 to 7 of 25 to 30 loads of T gave other logits than the rest.)',
  '- **Memory**: where a batch does not fit (2.2 GiB free of what L wants), it is run in halves; where the model does not, loading ends with one line.',
  '- **Ends**: `process.exit` and exceptions in the middle of a batch end the process with their own exit codes, an abort of S returns within 10 ms, and six cycles of load, score and close add 32 MiB.',
];
