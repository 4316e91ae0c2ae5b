import { missingError, reasonOf } from '../common/errors.js';
import { web } from './web.js';

/** The device of a model: WebAssembly with SIMD, or WebGPU. */
export type WebDevice = 'wasm' | 'webgpu';

export type Runtime = typeof import('onnxruntime-web/wasm');

/** A module of one function whose body uses an instruction of SIMD. */
const SIMD = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98,
  11,
]);

interface WebAssemblyCheck {
  readonly WebAssembly?: { validate(bytes: Uint8Array): boolean };
}

/** Loads onnxruntime-web: from the folder at an address, or as the bundler of the page resolved it. */
export async function loadRuntime(
  device: WebDevice,
  threads: number,
  address: string | undefined,
): Promise<Runtime> {
  const { WebAssembly } = globalThis as WebAssemblyCheck;
  if (!WebAssembly?.validate(SIMD)) {
    throw missingError(
      'This browser has no WebAssembly with SIMD, which the models need: update it (Chrome 91, Firefox 89, Safari 16.4 or later), or allow WebAssembly.',
    );
  }
  // Deno's workers have an origin of which onnxruntime-web cannot make the address of its own files.
  if (web.location?.origin === 'null') Object.defineProperty(web, 'location', { value: undefined });
  try {
    const runtime = await importRuntime(device, address);
    runtime.env.logLevel = 'error';
    runtime.env.wasm.numThreads = threads;
    if (address !== undefined) runtime.env.wasm.wasmPaths = address;
    return runtime;
  } catch (error) {
    throw missingError(
      address === undefined
        ? `onnxruntime-web cannot be loaded (${reasonOf(error)}). Install it with: npm install onnxruntime-web; on pages without a bundler give { runtime: '/the/address/of/onnxruntime-web/dist/' }.`
        : `onnxruntime-web cannot be loaded from ${address} (${reasonOf(error)}): serve the folder node_modules/onnxruntime-web/dist there.`,
      error,
    );
  }
}

async function importRuntime(device: WebDevice, address: string | undefined): Promise<Runtime> {
  if (address !== undefined) {
    const file = new URL(device === 'webgpu' ? 'ort.webgpu.min.mjs' : 'ort.wasm.min.mjs', address).href;
    return (await import(/* @vite-ignore */ /* webpackIgnore: true */ file)) as Runtime;
  }
  return device === 'webgpu' ? import('onnxruntime-web/webgpu') : import('onnxruntime-web/wasm');
}
