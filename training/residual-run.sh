#!/bin/bash
# On the GPU machine: phase three trained for what the ranking lacks (docs/models.md, section 15).
#   residual-run.sh train   towards the labels of Wikipedia collections, measured on development sets; in the background
#   residual-run.sh folds   in five folds of each test collection; in the background
#   residual-run.sh wait SECONDS OUT
# Needs in the work folder: train.json.xz (training.residual_sets), dev.json.xz, test.json.xz (training.first_stage).
set -u
W=${W:-/tmp/residual}
P=${PYTHON:-python3}
export PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=true RAYON_NUM_THREADS=4
mkdir -p "$W"/{log,out}
begin() { # name, module, arguments…
  setsid nohup $P -m training."${@:2}" --vocabulary models/tiny >"$W/log/$1.log" 2>&1 </dev/null &
}
unpack() { for name in "$@"; do [ -f "$W/$name.json.gz" ] || xz -dc "$W/$name.json.xz" | gzip -1 >"$W/$name.json.gz" & done; wait; }
case $1 in
train)
  unpack train dev
  while read -r name arguments; do
    # shellcheck disable=SC2086
    begin "train-$name" residual --sets "$W/train.json.gz" --development "$W/dev.json.gz" --out "$W/out/$name" $arguments
  done <<TRIALS
residual --first S=models/small --third T=models/tiny --epochs 3
residual-15 --first S=models/small --third T=models/tiny --epochs 3 --alpha 0.15
residual-fast --first S=models/small --third T=models/tiny --epochs 3 --rate 3e-4
listwise --first S=models/small --third T=models/tiny --epochs 3 --loss listwise
small --first S=models/small --third S=models/small --epochs 2 --rate 5e-5
tiny --first T=models/tiny --third T=models/tiny --epochs 3
TRIALS
  ;;
folds)
  unpack test
  for collection in scifact cranfield npl cisi cacm; do
    begin "folds-$collection" residual_folds run --sets "$W/test.json.gz" --collection $collection --first S=models/small \
      --third T=models/tiny --rate 2e-4 --out "$W/out/$collection.npz"
  done ;;
wait)
  until=$((SECONDS + $2))
  while pgrep -f "training[.]residual" >/dev/null && [ $SECONDS -lt $until ]; do sleep 2; done
  grep -h "MaxP\|Error" "$W"/log/folds-*.log
  tail -qn 4 "$W"/log/train-*.log
  pgrep -fc "training[.]residual"
  tar -C "$W" -cJf "$3/residual.tar.xz" log $(cd "$W" && ls out/*.npz out/*/model.safetensors 2>/dev/null)
  ls -l "$3" ;;
esac
