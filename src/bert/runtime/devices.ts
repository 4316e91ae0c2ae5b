import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingError, reasonOf } from '../../common/errors.js';
import { cudaReason } from './failures.js';
import type { Device } from './load-session.js';
import { CUDA_FILES, missingCudaFiles, neededLibraries } from './provider-files.js';
import type { ProbeResult } from './probe.js';
import { builtInProviders, runtimeFolder, runtimeVersion } from './runtime-package.js';
import { silenceRuntime } from './telemetry.js';
import { workerUrl } from './thread.js';

/** The state of a device on this machine. */
interface DeviceState {
  readonly device: Device;
  readonly isUsable: boolean;
  /** The device in words, or the reason why it cannot be used. */
  readonly detail: string;
  /** The number of cards that can be used together. */
  readonly cards?: number;
}

/** Tries every device, each in a process of its own. */
export async function deviceStates(): Promise<DeviceState[]> {
  return [cpuState(), await webGpuState(), await cudaState()];
}

/** The device to use: the wanted one; for `auto`, CUDA if a card can be used, else the CPU. */
export async function chooseDevice(wanted: Device | 'auto'): Promise<Device> {
  if (wanted !== 'auto') return wanted;
  // WebGPU is never chosen: it may be software, hundreds of times slower than the CPU it runs on.
  if (!hasDriver() || missingCudaFiles().length > 0) return 'cpu';
  return (await cudaState()).isUsable ? 'cuda' : 'cpu';
}

function cpuState(): DeviceState {
  const model = cpus()[0]?.model ?? process.arch;
  return { device: 'cpu', isUsable: true, detail: `${model}, ${availableParallelism()} cores` };
}

async function webGpuState(): Promise<DeviceState> {
  const device = 'webgpu';
  if (!isBuiltIn(device)) return { device, isUsable: false, detail: notBuiltIn('WebGPU') };
  const { failure } = await probe(device, []);
  if (failure !== undefined) return { device, isUsable: false, detail: cudaReason(failure) };
  return { device, isUsable: true, detail: 'an adapter answers; it may be software' };
}

let usableCuda: DeviceState | undefined;

/** The state of CUDA; once it can be used, it is not tried again. */
async function cudaState(): Promise<DeviceState> {
  if (usableCuda) return usableCuda;
  const found = await usableCards();
  if (typeof found === 'string') return { device: 'cuda', isUsable: false, detail: found };
  usableCuda = { device: 'cuda', isUsable: true, detail: cards(), cards: found };
  return usableCuda;
}

/** The number of cards; refuses CUDA, with the reason, where it cannot be used. */
export async function requireCuda(): Promise<number> {
  const { isUsable, detail, cards: count = 1 } = await cudaState();
  if (!isUsable) throw missingError(`CUDA cannot be used here: ${detail}.`);
  return count;
}

/** The number of cards that CUDA can be used on, or the reason why it cannot. */
async function usableCards(): Promise<number | string> {
  if (!isBuiltIn('cuda')) return notBuiltIn('CUDA');
  const files = missingCudaFiles().join(' and ');
  if (files) return `${files} of onnxruntime ${runtimeVersion()} missing: bert-qe device install cuda`;
  const needed = await neededLibraries(join(runtimeFolder(), CUDA_FILES[1])).catch(reasonOf);
  if (typeof needed === 'string') return needed;
  const libraries = needed.filter((name) => part(name) !== undefined);
  const { missing, failure, cards: count } = await probe('cuda', libraries);
  if (missing.length > 0) return missingText(missing, await otherVersions(missing));
  return failure === undefined ? count : cudaReason(failure);
}

/** The two versions of CUDA that provider libraries are built for. */
const VERSIONS = ['12', '13'] as const;

/** Libraries whose version is CUDA's. */
const VERSIONED = /^(lib(?:cudart|cublas|cublasLt)\.so)\.(\d+)$/;

/** The other versions of CUDA of which this machine has a library that is missing in the wanted one. */
async function otherVersions(missing: readonly string[]): Promise<string[]> {
  const others = missing.flatMap((name) => {
    const [, stem, version] = VERSIONED.exec(name) ?? [];
    return VERSIONS.filter((other) => stem && other !== version).map((other) => `${stem}.${other}`);
  });
  if (others.length === 0) return [];
  const absent = (await probe('none', others)).missing;
  const present = others.filter((name) => !absent.includes(name));
  return [...new Set(present.map((name) => name.split('.').at(-1)!))];
}

function missingText(missing: readonly string[], otherVersion: readonly string[]): string {
  const names = `missing: ${missing.map((name) => `${part(name)} (${name})`).join(', ')}`;
  const wanted = missing.map((name) => VERSIONED.exec(name)?.[2]).find((version) => version !== undefined);
  if (wanted === undefined || otherVersion.length === 0) return names;
  const has = otherVersion.join(' and ');
  return `${names}; the libraries installed are for CUDA ${wanted}, and this machine has CUDA ${has}: install those for CUDA ${has}`;
}

/** Parts of CUDA by the names of their libraries. */
const PARTS: readonly (readonly [RegExp, string])[] = [
  [/^libcuda\./, 'the NVIDIA driver'],
  [/^libcudart\./, 'the CUDA runtime'],
  [/^libcublas(?:Lt)?\./, 'cuBLAS'],
  [/^libcudnn/, 'cuDNN'],
  [/^libcurand\./, 'cuRAND'],
  [/^libcufft\./, 'cuFFT'],
  [/^libnvrtc\./, 'NVRTC'],
];

function part(library: string): string | undefined {
  return PARTS.find(([pattern]) => pattern.test(library))?.[1];
}

function isBuiltIn(name: string): boolean {
  return builtInProviders().includes(name);
}

function notBuiltIn(name: string): string {
  return `onnxruntime has no ${name} for ${process.platform} on ${process.arch}`;
}

/** True if Linux, or Windows below it, has the driver for NVIDIA cards. */
function hasDriver(): boolean {
  return ['/dev/nvidiactl', '/dev/dxg', '/proc/driver/nvidia/version'].some((path) => existsSync(path));
}

/** The cards and the driver's version, where the driver reports them. */
function cards(): string {
  try {
    const folder = '/proc/driver/nvidia';
    const names = readdirSync(join(folder, 'gpus')).map((card) => {
      const text = readFileSync(join(folder, 'gpus', card, 'information'), 'utf8');
      return /^Model:\s*(.+)$/m.exec(text)?.[1] ?? 'a card';
    });
    const version = /Kernel Module.*?(\d+\.\d[\d.]*)/.exec(
      readFileSync(join(folder, 'version'), 'utf8'),
    )?.[1];
    return [...names, ...(version ? [`driver ${version}`] : [])].join(', ');
  } catch {
    return 'a card';
  }
}

/** The longest wait for a driver. */
const LONGEST_PROBE_MS = 60_000;

async function probe(device: Device | 'none', libraries: readonly string[]): Promise<ProbeResult> {
  await silenceRuntime();
  const file = fileURLToPath(workerUrl('runtime/probe.js'));
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [file, device, ...libraries],
      { timeout: LONGEST_PROBE_MS },
      (error, stdout) => {
        try {
          resolve(JSON.parse(stdout.trim().split('\n').at(-1)!) as ProbeResult);
        } catch {
          const end = error?.signal ? `signal ${error.signal}` : `exit code ${error?.code ?? 0}`;
          resolve({ missing: [], cards: 0, failure: `the process that tried it ended with ${end}` });
        }
      },
    );
  });
}
