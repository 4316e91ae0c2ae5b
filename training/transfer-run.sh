#!/bin/bash
# On the GPU machine: does phase three learn from some collections what holds in others? (docs/models.md, section 16)
#   transfer-run.sh SECONDS OUT   needs dev.json.xz (training.first_stage) in the work folder; writes held.npz, models and logs to OUT
set -u
W=${W:-/tmp/residual}
P=${PYTHON:-python3}
export PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=true RAYON_NUM_THREADS=2
mkdir -p "$W"/{log,out}
[ -f "$W/dev.json.gz" ] || xz -dc "$W/dev.json.xz" | gzip -1 >"$W/dev.json.gz"
begin() { # name, module and its arguments
  setsid nohup $P -m training."${@:2}" --sets "$W/dev.json.gz" --vocabulary models/tiny --first S=models/small \
    --out "$W/out/$1" >"$W/log/$1.log" 2>&1 </dev/null &
}
classic=adi,med,lisa,time,demo,wiki_title,wiki_need
while read -r name arguments; do
  number=0
  for held in adi,wiki_title,wiki_need med,demo,obliqa_dev lisa,held_out time,scifact_train,squad_dev ""; do
    number=$((number + 1))
    # shellcheck disable=SC2086
    begin "$name-$number" residual_transfer --limit 200 --hold "$held" $arguments
  done
done <<TRIALS
residual --third T=models/tiny --epochs 4
listwise --third T=models/tiny --epochs 4 --loss listwise
classic --third T=models/tiny --epochs 6 --only $classic
TRIALS
for number in 1 2 3 4; do
  held=$(printf '%s\n' adi,wiki_title,wiki_need med,demo,obliqa_dev lisa,held_out time,scifact_train,squad_dev | sed -n ${number}p)
  begin "small-$number" residual_transfer --limit 200 --hold "$held" --third S=models/small --rate 5e-5 --epochs 2
done
begin size feedback_size --third T=models/tiny --limit 100 --documents 3 5 10 20 --words 50 80 --kept 3 5 8
until=$((SECONDS + $1))
while pgrep -f "training[.](residual|feedback_size)" >/dev/null && [ $SECONDS -lt "$until" ]; do sleep 2; done
for name in residual listwise classic small; do
  echo "== $name"
  # shellcheck disable=SC2046
  $P -m training.residual_transfer report $(ls -d "$W"/out/"$name"-[1-4]) 2>&1 | grep "α 0.[123]" | cut -c1-420
done
grep -h "α 0.15\|α 0.2:" "$W/log/size.log" | cut -c1-60
tail -qn 1 "$W"/log/*.log
tar -C "$W" -cJf "$2/transfer.tar.xz" log $(cd "$W" && ls out/*/held.npz 2>/dev/null)
for name in residual listwise classic; do
  for mix in 0.50 1.00; do
    [ -f "$W/out/$name-5/$mix/model.safetensors" ] && cp "$W/out/$name-5/$mix/model.safetensors" "$2/$name-$mix.safetensors"
  done
done
ls -l "$2"
