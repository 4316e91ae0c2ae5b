import { existsSync, readFileSync } from 'node:fs';
import type { SizeLetter } from '../../../src/bert/sizes.js';
import { usefulFlops } from '../flops.js';
import { sizeConfig } from './random-weights.js';

/** A line of the results that remote.sh fetches. */
type Row =
  | {
      readonly kind: 'product';
      readonly op: string;
      readonly float: string;
      readonly bits?: number;
      readonly accuracy?: number;
      readonly width: number;
      readonly teraflops: number;
    }
  | {
      readonly kind: 'graph';
      readonly size: string;
      readonly float: string;
      readonly attention: string;
      readonly products: string;
      readonly kept: string;
      readonly validation: string;
      readonly tokens: number;
      readonly length: number;
      readonly milliseconds: number;
      readonly teraflops: number;
      readonly pairsPerSecond: number;
    }
  | {
      readonly kind: 'exactness';
      readonly size: string;
      readonly float: string;
      readonly attention: string;
      readonly lengths: readonly number[];
      readonly differences: readonly number[];
    }
  | {
      readonly kind: 'training';
      readonly size: string;
      readonly length: number;
      readonly step: { readonly milliseconds: number; readonly optimiser: number; readonly rows: number };
    }
  | {
      readonly kind: 'shipped';
      readonly size: string;
      readonly precision: string;
      readonly pairs: number;
      readonly difference: number;
    }
  | {
      readonly kind: 'pytorch';
      readonly size: string;
      readonly precision: string;
      readonly tokens: number;
      readonly pairsPerSecond: number;
      readonly teraflops: number;
    }
  | {
      readonly kind: 'scorer';
      readonly size: string;
      readonly precision: string;
      readonly batchTokens: number;
      readonly byDefault?: boolean;
      readonly trained: boolean;
      readonly pairs: number;
      readonly pairsPerSecond: number;
      readonly teraflops: number;
      readonly difference: number;
    };

type OfKind<K extends Row['kind']> = Extract<Row, { kind: K }>;

/** The section on GPUs, where there are results of one. */
export function renderGpu(file: string): string[] {
  if (!existsSync(file)) return [];
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row & { error?: string })
    .filter((row) => row.error === undefined);
  const of = <K extends Row['kind']>(kind: K) => rows.filter((row): row is OfKind<K> => row.kind === kind);
  return [
    '## On a GPU, through WebGPU',
    '',
    '`bench/scoring/gpu/pack.sh`, then `bench/scoring/gpu/remote.sh` on the machine (NVIDIA H200, driver 580, onnxruntime-node 1.30 over Vulkan, Node 20; PyTorch 2.11). ' +
      'Whole graphs of random weights, sequences of 160 tokens; of B and L five layers are run and the rest estimated, since layers do not differ. ' +
      'TFLOP/s are of useful operations; PyTorch computes the whole last layer too, and is credited with it.',
    '',
    ...best(of('graph'), of('pytorch')),
    '',
    ...batches(of('graph')),
    '',
    ...attention(of('graph')),
    '',
    ...otherProducts(of('graph')),
    '',
    ...products(of('product')),
    '',
    ...exactness(of('exactness'), of('shipped')),
    ...scorers(of('scorer'), of('graph'), of('pytorch')),
    '',
    ...FINDINGS,
  ];
}

/** The meaning of the tables. */
const FINDINGS = [
  '### The limits of WebGPU',
  '',
  '- **Batch shape.** A run costs 2 to 3 ms to start, so small batches waste the card. onnxruntime’s WebGPU keeps freed buffers of up to 160 MiB and makes larger ones anew, which takes up to four times as long. ' +
    'So batches are as large as the widest activations allow within 128 MiB (`src/bert/scorer/device-profiles.ts`): 65,536 tokens of T, 32,768 of S, 10,922 of B, 8,192 of L.',
  '- **Lengths.** Graphs for GPUs take padded sequences, and batches are filled with neighbours in length. Padding is 2 % of the tokens in batches of 16,384 and 8 % in batches of 65,536.',
  '- **Threads.** All sessions of a process share one WebGPU context that is not made for threads. Workers use it one at a time.',
  '- **Attention** is in standard operators. The fused operator is up to 9 % faster or slower, and wrong by 0.016 on a software adapter (SwiftShader).',
  '- **fp16** keeps matrices and embeddings in 16 bits and widens each matrix just before it is multiplied: this provider adds 16-bit products up in 16 bits, which puts the logits of L off by 2e-2. ' +
    'The rate is that of fp32, the distance from fp32 at most 2.7e-3. The memory of the weights is halved. `auto` takes fp32.',
  '- **8-bit weights** (`precision: int8`, MatMulNBits with 16-bit rows) are 2.4 times as fast as fp32 for L, 2.1 for B, 1.3 for S (bare graphs). `auto` does not take them. Kendall’s τ with fp32 over 2,400 pairs of Cranfield is .994 for T and .997 for S (nDCG@20 .5723 instead of .5725, .5786 instead of .5783), over 2,400 of SciFact .995 for T (.7686 both) (`bench/scoring/int8.ts RESULT.json weights`, which runs the graph on a CPU); through WebGPU on lavapipe it is .993 for T (24 pairs of the demo) and 1 for S (16 pairs), where logits differ by up to .04 and .02.',
];

const SIZES = ['T', 'S', 'B', 'L'];
const FLOATS = ['float32', 'float16'];
const PRECISION: Readonly<Record<string, string>> = { float32: 'fp32', float16: 'fp16' };

function most<T extends { readonly pairsPerSecond: number }>(rows: readonly T[]): T | undefined {
  return rows.reduce<T | undefined>(
    (top, row) => (top === undefined || row.pairsPerSecond > top.pairsPerSecond ? row : top),
    undefined,
  );
}

function cell(row: { pairsPerSecond: number; teraflops: number; tokens: number } | undefined): string {
  if (!row) return '–';
  return `${Math.round(row.pairsPerSecond).toLocaleString('en')} (${row.teraflops.toFixed(1)}; ${row.tokens.toLocaleString('en')})`;
}

/** The style that `compile` writes for GPUs: products of 32 bits, of weights kept in 32 (fp32) or 16 (fp16). */
const isChosen = (row: OfKind<'graph'>) =>
  row.attention === 'plain' && row.products === 'Gemm' && row.float === 'float32' && row.length === 160;

function best(graphs: readonly OfKind<'graph'>[], peers: readonly OfKind<'pytorch'>[]): string[] {
  const peer = (size: string, precision: string) =>
    cell(most(peers.filter((row) => row.size === size && row.precision === precision)));
  const own = (size: string, float: string) =>
    cell(most(graphs.filter((row) => isChosen(row) && row.size === size && row.kept === float)));
  return [
    '### Pairs per second (TFLOP/s; tokens in the best batch)',
    '',
    '| size | ours fp32 | ours fp16 | PyTorch fp32 | PyTorch tf32 | PyTorch fp16 | PyTorch bf16 |',
    '|---|---|---|---|---|---|---|',
    ...SIZES.map(
      (size) =>
        `| ${size} | ${own(size, 'float32')} | ${own(size, 'float16')} | ${['fp32', 'tf32', 'fp16', 'bf16'].map((p) => peer(size, p)).join(' | ')} |`,
    ),
  ];
}

function batches(graphs: readonly OfKind<'graph'>[]): string[] {
  const chosen = graphs.filter(isChosen);
  const tokens = [...new Set(chosen.map((row) => row.tokens))].sort((a, b) => a - b);
  return [
    '### Batch shape: TFLOP/s by tokens in a batch',
    '',
    `| size | precision | ${tokens.map((count) => count.toLocaleString('en')).join(' | ')} |`,
    `|---|---|${'---|'.repeat(tokens.length)}`,
    ...SIZES.flatMap((size) =>
      FLOATS.map((float) => {
        const cells = tokens.map((count) => {
          const row = chosen.find((r) => r.size === size && r.kept === float && r.tokens === count);
          return row ? row.teraflops.toFixed(1) : '–';
        });
        return `| ${size} | ${PRECISION[float]} | ${cells.join(' | ')} |`;
      }),
    ),
  ];
}

/** Rates of fp32 graphs at their best batch, by the settings in which they differ. */
function ways(
  graphs: readonly OfKind<'graph'>[],
  columns: Readonly<Record<string, (row: OfKind<'graph'>) => boolean>>,
): string[] {
  const names = Object.keys(columns);
  return [
    `| size | ${names.join(' | ')} |`,
    `|---|${'---|'.repeat(names.length)}`,
    ...SIZES.map((size) => {
      const cells = names.map((name) => {
        const row = most(graphs.filter((r) => r.size === size && r.length === 160 && columns[name](r)));
        return row ? Math.round(row.pairsPerSecond).toLocaleString('en') : '–';
      });
      return `| ${size} | ${cells.join(' | ')} |`;
    }),
  ];
}

function attention(graphs: readonly OfKind<'graph'>[]): string[] {
  const exact = graphs.filter((row) => row.kept === 'float32' && row.products === 'Gemm');
  return [
    '### Attention: pairs per second at the best batch, fp32',
    '',
    ...ways(exact, {
      plain: (row) => row.attention === 'plain',
      fused: (row) => row.attention === 'fused',
      'by head': (row) => row.attention === 'by head',
    }),
  ];
}

function otherProducts(graphs: readonly OfKind<'graph'>[]): string[] {
  const plain = graphs.filter((row) => row.attention === 'plain');
  return [
    '### Products: pairs per second at the best batch',
    '',
    ...ways(plain, {
      'Gemm (fp32)': (row) => isChosen(row) && row.kept === 'float32',
      'Gemm, weights kept in 16 bits (fp16)': (row) => isChosen(row) && row.kept === 'float16',
      'MatMul and Add': (row) => row.products === 'MatMul',
      'Gemm of 16 bits (too rough)': (row) => row.float === 'float16',
      'MatMulNBits, weights of 8 bits': (row) => row.products === 'MatMulNBits',
    }),
  ];
}

function products(rows: readonly OfKind<'product'>[]): string[] {
  const name = ({ op, float, bits, accuracy }: OfKind<'product'>) =>
    `${op}, ${PRECISION[float]}${bits === undefined ? '' : `, ${bits}-bit weights, accuracy level ${accuracy}`}`;
  const names = [...new Set(rows.map(name))];
  return [
    '### The runtime’s own ceiling: TFLOP/s of eight products in a row, 16,384 rows',
    '',
    '| operator | 256 × 256 | 1024 × 1024 |',
    '|---|---|---|',
    ...names.map((each) => {
      const at = (width: number) => rows.find((row) => name(row) === each && row.width === width);
      return `| ${each} | ${at(256)?.teraflops.toFixed(1) ?? '–'} | ${at(1024)?.teraflops.toFixed(1) ?? '–'} |`;
    }),
  ];
}

function exactness(rows: readonly OfKind<'exactness'>[], shipped: readonly OfKind<'shipped'>[]): string[] {
  const largest = (row: OfKind<'exactness'> | undefined) =>
    row ? Math.max(...row.differences).toExponential(1) : '–';
  return [
    '### Largest difference of a logit, as graphs are compiled for WebGPU (limit of fp16: 5e-3)',
    '',
    '| model | compared with | fp32 | fp16 |',
    '|---|---|---|---|',
    ...[...new Set(rows.map(({ size }) => size))].map((size) => {
      const at = (float: string) => rows.find((r) => r.size === size && r.float === float);
      const { lengths } = at('float32')!;
      return `| ${size}, seeded random weights, lengths ${lengths.join(', ')} | transformers, fp32 | ${largest(at('float32'))} | ${largest(at('float16'))} |`;
    }),
    ...[...new Set(shipped.map(({ size }) => size))].map((size) => {
      const of = shipped.filter((row) => row.size === size);
      const at = (precision: string) =>
        of.find((row) => row.precision === precision)?.difference.toExponential(1) ?? '–';
      return `| ${size} as it ships, ${of[0].pairs} pairs of the demo | our CPU, fp32 | ${at('fp32')} | ${at('fp16')} |`;
    }),
  ];
}

function percent(part: number, whole: number | undefined): string {
  return whole === undefined ? '–' : `${Math.round((100 * part) / whole)} %`;
}

/** Operations per second count, not pairs: the workload's sequences are shorter than those of graphs and PyTorch. */
function scorers(
  rows: readonly OfKind<'scorer'>[],
  graphs: readonly OfKind<'graph'>[],
  peers: readonly OfKind<'pytorch'>[],
): string[] {
  if (rows.length === 0) return [];
  return [
    '',
    '### The whole scorer, from text to probabilities, on the phase-three workload',
    '',
    'Real text, 143 tokens a pair in the mean (133 for the fewer pairs of B and L), 244 at most. Shares are of useful operations per second: of the bare graph with as many tokens in a batch, and of PyTorch’s model at its best batch, both on sequences of 160 tokens whose ids are ready.',
    '',
    '| size | weights | pairs | precision | tokens in a batch | pairs/s | TFLOP/s | of the graph | of PyTorch, same precision | largest difference from fp32 |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...rows.map((row) => {
      const { size, precision, batchTokens, teraflops } = row;
      const graph = graphs.find(
        (each) =>
          isChosen(each) &&
          each.size === size &&
          PRECISION[each.kept] === precision &&
          each.tokens === batchTokens,
      );
      const peer = most(peers.filter((each) => each.size === size && each.precision === precision));
      const peerRate =
        peer && (peer.pairsPerSecond * usefulFlops(sizeConfig(size as SizeLetter), 160)) / 1e12;
      return (
        `| ${size} | ${row.trained ? 'trained' : 'random'} | ${row.pairs.toLocaleString('en')} | ${precision} | ` +
        `${batchTokens.toLocaleString('en')}${row.byDefault ? ' (default)' : ''} | ${Math.round(row.pairsPerSecond).toLocaleString('en')} | ${teraflops.toFixed(1)} | ` +
        `${percent(teraflops, graph?.teraflops)} | ${percent(teraflops, peerRate)} | ${row.difference.toExponential(1)} |`
      );
    }),
  ];
}

/** Exactness of the graphs on a software adapter. */
export function renderSoftware(file: string): string[] {
  if (!existsSync(file)) return [];
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as OfKind<'exactness'> | OfKind<'shipped'>);
  const line = (row: (typeof rows)[number]) =>
    row.kind === 'shipped'
      ? `| ${row.size} as it ships, ${row.pairs} pairs of the demo | ${row.precision} | our CPU fp32 | ${row.difference.toExponential(1)} |`
      : `| ${row.size}, seeded weights, lengths ${row.lengths.join(', ')} | ${PRECISION[row.float]} | transformers | ${Math.max(...row.differences).toExponential(1)} |`;
  return [
    '## fp16 through WebGPU within 5e-3, on a software adapter',
    '',
    'Not a GPU: the same WebGPU provider of onnxruntime-node 1.30 over lavapipe (Mesa 25.0.7 of Debian’s backports, `VK_DRIVER_FILES=/usr/share/vulkan/icd.d/lvp_icd.json`). ' +
      '`node --import tsx bench/scoring/gpu/exactness.ts TSM plain` and `bench/scoring/gpu/shipped.ts TS`; `npm run test:parity` asserts the limit (tests/parity/webgpu.test.ts) where there is an adapter.',
    '',
    '| model | precision | compared with | largest difference of a logit |',
    '|---|---|---|---|',
    ...rows.map(line),
  ];
}
