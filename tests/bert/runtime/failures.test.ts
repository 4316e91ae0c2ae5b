import { describe, expect, it } from 'vitest';
import { asCardFailure, cudaReason } from '../../../src/bert/runtime/failures.js';

const WITHOUT_DRIVER =
  '/onnxruntime_src/onnxruntime/core/providers/cuda/cuda_call.cc:129 std::conditional_t<THRW, void, onnxruntime::common::Status> ' +
  'onnxruntime::CudaCall(...) [with ERRTYPE = cudaError] CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version ; ' +
  'GPU=-1 ; hostname=node ; file=/onnxruntime_src/cuda_execution_provider.cc ; line=282 ; expr=cudaSetDevice(info_.device_id);\n\n';

describe('an error of CUDA', () => {
  it('is told by CUDA’s own words', () => {
    expect(cudaReason(WITHOUT_DRIVER)).toBe(
      'CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version',
    );
  });

  it('of another form is told by its first line', () => {
    expect(cudaReason('Failed to load shared library\nstack')).toBe('Failed to load shared library');
  });

  it('is left as it is where memory is exhausted or CUDA has no part in it', () => {
    for (const message of ['CUDA failure 2: out of memory ; GPU=0', 'another shape']) {
      const error = new Error(message);
      expect(asCardFailure(error)).toBe(error);
    }
  });
});
