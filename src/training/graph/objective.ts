import type { Value } from '../../bert/onnx/index.js';
import { type Builder, logitsOf } from './encoder.js';
import { judgesItself, loss, type LossKind } from './loss.js';
import { maskedLoss } from './masked-loss.js';
import { widened } from './widened.js';

/** The targets of a batch, see loss.ts and masked-loss.ts. */
export interface Targets {
  readonly targets: Value;
  /** Of the masked loss alone. */
  readonly wanted?: Value | undefined;
}

/** The loss of summed embeddings, a scalar. */
export function objective(
  builder: Builder,
  tokens: Value,
  kind: LossKind,
  { targets, wanted }: Targets,
): Value {
  if (kind === 'masked') return maskedLoss(builder, tokens, wanted!, targets);
  return loss(builder.graph, logits(builder, tokens), builder.config.labels, kind, targets);
}

/** The numbers that validation asks for, float32: logits `[batch, labels]`, or the loss, `[1, 1]`. */
export function scores(builder: Builder, tokens: Value, kind: LossKind, targets: Targets): Value {
  if (!judgesItself(kind)) return logits(builder, tokens);
  const value = objective(builder, tokens, kind, targets);
  return builder.graph.op('Reshape', [value, builder.graph.integers([1, 1])]);
}

/** The columns of {@link scores}. */
export function scoreColumns(kind: LossKind, labels: number): number {
  return judgesItself(kind) ? 1 : labels;
}

function logits(builder: Builder, tokens: Value): Value {
  return widened(builder.graph, logitsOf(builder, tokens), builder.float);
}
