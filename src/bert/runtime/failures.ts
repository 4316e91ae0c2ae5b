import { failureError, reasonOf } from '../../common/errors.js';

/** True for the errors of onnxruntime and CUDA that tell of exhausted memory. */
export function isOutOfMemory(error: unknown): boolean {
  return /failed to allocate memory|out of memory|CUBLAS_STATUS_ALLOC_FAILED/i.test(reasonOf(error));
}

/** The reason in a message of onnxruntime, which has several lines and CUDA's reason among other words. */
export function cudaReason(message: string): string {
  const reason = /(?:CUDA|CUBLAS|CUDNN) failure \d+: [^;]+?(?= ?;)/.exec(message)?.[0];
  return (
    reason ??
    message
      .split('\n')[0]
      .replace(/^\/.* was false\. /, '')
      .trim()
  );
}

/** An error of CUDA in one sentence; other errors, and exhausted memory, as they are. A card that failed stays failed. */
export function asCardFailure(error: unknown): unknown {
  const message = reasonOf(error);
  if (isOutOfMemory(error) || !/(?:CUDA|CUBLAS|CUDNN) failure/.test(message)) return error;
  return failureError(
    `The card failed (${cudaReason(message)}). See nvidia-smi, and start this process again.`,
    error,
  );
}
