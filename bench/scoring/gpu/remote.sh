#!/usr/bin/env bash
# Runs on the machine with the GPU, over what pack.sh carried there: bench/scoring/gpu/remote.sh OUT STEP…
set -uo pipefail
cd "$(dirname "$0")/../../.."
out=$1
shift
work=$PWD/.carry/run
mkdir -p "$work"
[ -x "$work/node" ] || tar -C "$work" -xJf .carry/runtime.tar.xz
tar -C "$work" -xJf .carry/code.tar.xz
ln -sfn "$PWD/models" "$work/js/models"
ln -sfn "$PWD/demo" "$work/js/demo"
# Vulkan without a display: the driver's EGL library holds the same entry points as the GLX one.
sed s/libGLX_nvidia/libEGL_nvidia/ /usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json >"$work/icd.json"
export LD_LIBRARY_PATH="$work/lib:/usr/local/nvidia/lib64:${LD_LIBRARY_PATH:-}"
# CUDA's libraries where the machine's PyTorch has them. Its provider's lie beside onnxruntime's own.
nvidia=$(python3 -c 'import nvidia; print(list(nvidia.__path__)[0])')
export LD_LIBRARY_PATH="$work/node_modules/onnxruntime-node/bin/napi-v6/linux/x64:$nvidia/cu13/lib:$nvidia/cudnn/lib:$LD_LIBRARY_PATH"
export VK_ICD_FILENAMES="$work/icd.json" VK_DRIVER_FILES="$work/icd.json" BERT_QE_CACHE="$work/cache"
export BERT_QE_COLLECTIONS="$work/collections"
gpu="$work/js/bench/scoring/gpu"
step() {
  echo "== $* ($(date +%T))" >&2
  case $1 in
    # training SIZE LENGTH: ours on this card, float32, 32 pairs a step.
    training)
      if result=$(timeout "${LIMIT:-150}" "$work/node" "$work/js/bench/training/ours.js" "$2" "$3" 0.1 1 20 4096 webgpu); then
        printf '{"kind":"training","size":"%s","length":%s,"step":%s}\n' "$2" "$3" "$result"
      fi
      ;;
    # cuda-training CASE…, cuda-training-exactness SIZES: steps on CUDA, see bench/training.
    cuda-training*) timeout "${LIMIT:-150}" "$work/node" "$work/js/bench/training/${1/cuda-training/cuda}.js" "${@:2}" ;;
    pytorch-training) python3 "$work/js/pytorch_cuda.py" "${@:2}" ;;
    pytorch) python3 "$work/js/pytorch.py" "$2" ;;
    *) timeout "${LIMIT:-150}" "$work/node" "$gpu/$1.js" "${@:2}" ;;
  esac
}
for each in "$@"; do step $each; done 2> >(tee "$out/errors.log" >&2) | tee "$out/gpu.jsonl" >/dev/null
date +%T
