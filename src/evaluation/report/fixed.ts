/**
 * C's `%.4f`: rounds to the nearest decimal, exact ties to the even digit. `toFixed` takes ties upwards, and
 * measures do hit them: 1/32 is 0.0312 in trec_eval.
 *
 * A double lies exactly between two decimals of `digits` places only when it is an odd multiple of
 * 2^-(digits+1), because odd / (2·10^digits) has no other denominator a double can hold.
 */
export function formatFixed(value: number, digits: number): string {
  const isTie = Math.abs(value * 2 ** (digits + 1)) % 2 === 1;
  if (!isTie) return value.toFixed(digits);
  const scale = 10 ** digits;
  const below = Math.floor(value * scale);
  return ((below % 2 === 0 ? below : below + 1) / scale).toFixed(digits);
}
