/** Several arrays of one kind as one. */
export function concat<A extends Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>>(
  Kind: new (length: number) => A,
  parts: readonly (A extends Float32Array ? Float32Array : Int32Array)[],
): A {
  const whole = new Kind(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
