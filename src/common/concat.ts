/** Consecutive parts of an array, each of `size` items but the last. */
export function slices<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

/** A copy of an array, at least twice as long, with zeros at the end. */
export function grown<A extends Uint8Array | Uint32Array | Int32Array>(array: A, atLeast = 0): A {
  const larger = new (array.constructor as new (length: number) => A)(Math.max(2 * array.length, atLeast));
  larger.set(array);
  return larger;
}

/** Several arrays of one kind as one. */
export function concat<
  A extends Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>,
>(
  Kind: new (length: number) => A,
  parts: readonly (A extends Float32Array ? Float32Array : A extends Int32Array ? Int32Array : Uint8Array)[],
): A {
  const whole = new Kind(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
