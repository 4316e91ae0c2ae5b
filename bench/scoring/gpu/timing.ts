import type { InferenceSession, Tensor } from 'onnxruntime-node';

/** Seconds of one run: the median of at least five, after three that do not count. */
export async function medianRun(
  session: InferenceSession,
  feeds: Record<string, Tensor>,
  atLeastSeconds = 0.4,
): Promise<number> {
  for (let i = 0; i < 3; i++) await session.run(feeds);
  const times: number[] = [];
  let sum = 0;
  while (times.length < 5 || sum < atLeastSeconds) {
    const start = performance.now();
    await session.run(feeds);
    times.push((performance.now() - start) / 1000);
    sum += times.at(-1)!;
  }
  return times.sort((a, b) => a - b)[times.length >> 1];
}
