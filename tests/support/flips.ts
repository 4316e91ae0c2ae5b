import { readFileSync, writeFileSync } from 'node:fs';

/** Small deterministic generator of whole numbers below a bound. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** The seed of the flips; `FLIP_SEED` sets another. */
const seed = Number(process.env['FLIP_SEED'] ?? 20);

/**
 * Flips single bits of some files, one after the other, and lets `look` use the damaged ones. Each byte of the files is as
 * likely as any other. `FLIPS` sets another number of flips.
 */
export async function eachFlip(
  files: readonly string[],
  count: number,
  look: (place: string) => void | Promise<void>,
): Promise<void> {
  const random = randomNumbers(seed);
  const wholes = files.map((file) => readFileSync(file));
  const bytes = wholes.reduce((sum, { length }) => sum + length, 0);
  for (let i = 0; i < Number(process.env['FLIPS'] ?? count); i++) {
    let [at, file] = [random(bytes), 0];
    while (at >= wholes[file].length) at -= wholes[file++].length;
    const bit = random(8);
    const damaged = Buffer.from(wholes[file]);
    damaged[at] ^= 1 << bit;
    writeFileSync(files[file], damaged);
    await look(`bit ${bit} of byte ${at} of ${files[file]}`);
    writeFileSync(files[file], wholes[file]);
  }
}
