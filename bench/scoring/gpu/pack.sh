#!/usr/bin/env bash
# Packs what the GPU benchmark needs into .carry/, for a Linux machine with an NVIDIA driver but without Node,
# Vulkan's loader and network: Node, onnxruntime, X11 and Vulkan libraries of this Debian, the code, some text.
#
#     bench/scoring/gpu/pack.sh [FOLDER_OF_LIBRARIES]
#
# FOLDER_OF_LIBRARIES holds libvulkan.so.1, libX11, libXext, libxcb, libXau, libXdmcp, libbsd, libmd, libGLdispatch
# (unpacked from the packages libvulkan1 libx11-6 libxext6 libxcb1 libxau6 libxdmcp6 libbsd0 libmd0 libglvnd0).
set -euo pipefail
cd "$(dirname "$0")/../../.."
libraries=${1:-/usr/lib/x86_64-linux-gnu}
carry=$PWD/.carry
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

mkdir -p "$carry" "$stage"/{lib,js/tests/fixtures/bert,node_modules/onnxruntime-node/bin/napi-v6/linux,collections}
if [ ! -f "$carry/runtime.tar.xz" ]; then
  cp "$(command -v node)" "$stage/node" && strip "$stage/node"
  cp -d "$libraries"/lib{vulkan,X11,Xext,xcb,Xau,Xdmcp,bsd,md,GLdispatch}.so.* "$stage/lib/"
  cp -r node_modules/onnxruntime-node/{package.json,dist} "$stage/node_modules/onnxruntime-node/"
  mkdir -p "$stage/node_modules/onnxruntime-node/bin/napi-v6/linux/x64"
  cp node_modules/onnxruntime-node/bin/napi-v6/linux/x64/{libonnxruntime.so.1,onnxruntime_binding.node} \
    "$stage/node_modules/onnxruntime-node/bin/napi-v6/linux/x64/"
  mkdir -p "$stage/node_modules/@huggingface"
  cp -r node_modules/onnxruntime-common "$stage/node_modules/"
  cp -r node_modules/@huggingface/tokenizers "$stage/node_modules/@huggingface/"
  tar -C "$stage" -c node lib node_modules | xz -T2 -6 >"$carry/runtime.tar.xz"
fi

npx esbuild $(git ls-files -co --exclude-standard src/bert src/common src/collection src/evaluation src/training bench/collections.ts bench/scoring bench/training tests/bert/graph |
  grep '\.ts$') --format=esm --outbase=. --outdir="$stage/js" --log-level=warning
cp -r tests/fixtures/bert/logits "$stage/js/tests/fixtures/bert/"
# Workers run from the build.
npm run --silent build
(cd dist && find . -name '*.js' -not -path './web/*' -print0 | tar --null -cT -) | tar -x --one-top-level="$stage/js/dist"
cp bench/scoring/gpu/pytorch.py bench/scoring/gpu/pytorch_mixed.py bench/training/pytorch_cuda.py "$stage/js/"
echo '{"type":"module"}' >"$stage/js/package.json"
for corpus in "${BERT_QE_COLLECTIONS:?see docs/collections.md}"/*/corpus.jsonl; do
  folder="$stage/collections/$(basename "$(dirname "$corpus")")"
  mkdir -p "$folder"
  head -n 400 "$corpus" >"$folder/corpus.jsonl"
done
tar -C "$stage" -c js collections | xz -T2 -3 >"$carry/code.tar.xz"
ls -l "$carry"
