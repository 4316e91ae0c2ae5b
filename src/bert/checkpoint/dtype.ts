/**
 * The types of tensors: the arrays that hold their elements, and their names in each format. Every format read here is
 * little-endian, and so is every platform that runs the inference runtime.
 */
const TYPES = {
  float64: { array: Float64Array, safetensors: 'F64', torch: 'DoubleStorage', tensorflow: 2 },
  float32: { array: Float32Array, safetensors: 'F32', torch: 'FloatStorage', tensorflow: 1 },
  float16: { array: Uint16Array, safetensors: 'F16', torch: 'HalfStorage', tensorflow: 19 },
  bfloat16: { array: Uint16Array, safetensors: 'BF16', torch: 'BFloat16Storage', tensorflow: 14 },
  int64: { array: BigInt64Array, safetensors: 'I64', torch: 'LongStorage', tensorflow: 9 },
  int32: { array: Int32Array, safetensors: 'I32', torch: 'IntStorage', tensorflow: 3 },
  int8: { array: Int8Array, safetensors: 'I8', torch: 'CharStorage', tensorflow: 6 },
  uint8: { array: Uint8Array, safetensors: 'U8', torch: 'ByteStorage', tensorflow: 4 },
  bool: { array: Uint8Array, safetensors: 'BOOL', torch: 'BoolStorage', tensorflow: 10 },
} as const;

export type DType = keyof typeof TYPES;

export const dtypes = Object.keys(TYPES) as DType[];

/** The type that a format has under this name, if there is one. */
export function dtypeNamed(format: 'safetensors' | 'torch' | 'tensorflow', name: unknown): DType | undefined {
  return dtypes.find((dtype) => TYPES[dtype][format] === name);
}

export function safetensorsName(dtype: DType): string {
  return TYPES[dtype].safetensors;
}

export function elementBytes(dtype: DType): number {
  return TYPES[dtype].array.BYTES_PER_ELEMENT;
}

/** The number of elements; undefined for an impossible shape: negative, fractional or beyond any real tensor. */
export function elementCount(shape: readonly number[]): number | undefined {
  let count = 1;
  for (const size of shape) {
    if (!Number.isSafeInteger(size) || size < 0) return undefined;
    count *= size;
    if (count > 2 ** 40) return undefined;
  }
  return count;
}

/** Converts the elements in `bytes`, which hold nothing else, to float32, writing from `target[at]` on. */
export function widen(bytes: Uint8Array, dtype: DType, target: Float32Array, at = 0): void {
  const values = new TYPES[dtype].array(
    bytes.buffer as ArrayBuffer,
    bytes.byteOffset,
    bytes.length / elementBytes(dtype),
  );
  if (dtype === 'bfloat16') {
    const words = new Uint32Array(target.buffer, target.byteOffset, target.length);
    for (let i = 0; i < values.length; i++) words[at + i] = (values as Uint16Array)[i] << 16;
  } else if (values instanceof Uint16Array) {
    const table = halfTable();
    for (let i = 0; i < values.length; i++) target[at + i] = table[values[i]];
  } else if (values instanceof BigInt64Array) {
    for (let i = 0; i < values.length; i++) target[at + i] = Number(values[i]);
  } else target.set(values, at);
}

/** Rounds float32 to half precision, ties to even; overflow gives infinity, as in IEEE 754. */
export function narrowToHalf(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const halves = new Uint16Array(values.length);
  for (let i = 0; i < bits.length; i++) halves[i] = halfBits(bits[i]);
  return halves;
}

/** Rounds numbers to so many bits of fraction, ties to even. They stay floats, which compress better. */
export function roundFraction(values: Float32Array, bits: number): Float32Array {
  const dropped = 23 - bits;
  const words = new Uint32Array(values.slice().buffer);
  for (let i = 0; i < words.length; i++) {
    const odd = (words[i] >>> dropped) & 1;
    words[i] = ((words[i] + (1 << (dropped - 1)) - 1 + odd) >>> dropped) << dropped;
  }
  return new Float32Array(words.buffer);
}

function halfBits(word: number): number {
  const sign = (word >>> 16) & 0x8000;
  const magnitude = word & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  // 65520, halfway between the largest half and the next step, already rounds to infinity.
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude >= 0x38800000) {
    const rebased = magnitude - 0x38000000;
    return sign | ((rebased + 0xfff + ((rebased >>> 13) & 1)) >>> 13);
  }
  // Subnormal halves are multiples of 2^-24.
  if (magnitude < 0x33000000) return sign;
  const shift = 126 - (magnitude >>> 23);
  const mantissa = (magnitude & 0x7fffff) | 0x800000;
  const rounded = (mantissa + (2 ** (shift - 1) - 1) + ((mantissa >>> shift) & 1)) >>> shift;
  return sign | rounded;
}

/** The values of half-precision numbers. */
export function widenHalf(halfBitsOf: Uint16Array): Float32Array {
  const table = halfTable();
  return Float32Array.from(halfBitsOf, (bits) => table[bits]);
}

let halves: Float32Array | undefined;

/** All 65,536 half-precision values, made at first use: a look-up is faster than bit operations in JavaScript. */
function halfTable(): Float32Array {
  if (halves !== undefined) return halves;
  halves = new Float32Array(65536);
  for (let bits = 0; bits < 65536; bits++) {
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    const sign = bits & 0x8000 ? -1 : 1;
    if (exponent === 31) halves[bits] = fraction === 0 ? sign * Infinity : NaN;
    else if (exponent === 0) halves[bits] = sign * fraction * 2 ** -24;
    else halves[bits] = sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  }
  return halves;
}
