/**
 * The learning rate of a step, counted from 0: up in a straight line over the warm-up to its peak, then down in a
 * straight line to 0, which it would reach with the step after the last.
 */
export function learningRateAt(step: number, steps: number, peak: number, warmup: number): number {
  const rising = Math.floor(steps * warmup);
  if (step < rising) return (peak * (step + 1)) / rising;
  return (peak * (steps - step)) / (steps - rising);
}
