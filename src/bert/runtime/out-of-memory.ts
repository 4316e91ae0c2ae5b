import { reasonOf } from '../../common/errors.js';

/** True for the errors of onnxruntime and CUDA that tell of exhausted memory. */
export function isOutOfMemory(error: unknown): boolean {
  return /failed to allocate memory|out of memory|CUBLAS_STATUS_ALLOC_FAILED/i.test(reasonOf(error));
}
