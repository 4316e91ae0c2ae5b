#!/bin/bash
# The first run on the GPU machine, in steps (see README.md; its exact code is at the commit named there). Data arrives in several calls because one carries 64 MiB at most.
#   device.sh receive N            move .carry/N into the work folder, unpack
#   device.sh pretrain SEC_S SEC_T masked language models and a rehearsal of the compiler, in the background
#   device.sh data                 passages, queries, teacher scores and candidates
#   device.sh trials STEPS         short runs and the choice between them
#   device.sh train SECONDS        the long run, in the background
#   device.sh wait FILE SECONDS    until FILE exists
#   device.sh evaluate             development and test scores of the new and the shipped models
set -u
W=${W:-/tmp/work}
P=${PYTHON:-python3}
export PYTHONUNBUFFERED=1 TORCHINDUCTOR_CACHE_DIR=$W/compiled
mkdir -p "$W"/{log,corpus,eval}
V=models/tiny

case $1 in
receive)
  cp -r ".carry/$2"/. "$W/" && find "$W/corpus" -name '*.xz' -print0 |
    xargs -0 -r -P 8 -n 1 $P -c 'import lzma, os, shutil, sys
with lzma.open(sys.argv[1]) as packed, open(sys.argv[1][:-3], "wb") as plain: shutil.copyfileobj(packed, plain, 1 << 22)
os.remove(sys.argv[1])'
  ls "$W"/* ;;
pretrain)
  for size in S:small:$2:1e-3 T:tiny:$3:1.5e-3; do
    IFS=: read -r letter name seconds rate <<<"$size"
    setsid -f sh -c "$P -m training.mlm --size $letter --init $W/mlm/$name-mlm --corpus $W/corpus --vocabulary $V \
      --seconds $seconds --learning-rate $rate --out $W/mlm/$name-more >$W/log/mlm-$letter.log 2>&1; touch $W/mlm-$letter.done"
  done
  setsid -f sh -c "$P -m training.rank --rehearse --init S=models/small T=models/tiny --vocabulary $V >$W/log/rehearse.log 2>&1" ;;
data)
  $P -m training.dataset --corpus "$W/corpus" --vocabulary $V --workers 16 --out "$W/data" 2>&1 | tee "$W/log/dataset.log" &&
    $P -m training.mine --dataset "$W/data/dataset.npz" --teacher "$W/teacher" --vocabulary $V --out "$W/data" 2>&1 |
    tee "$W/log/mine.log" ;;
trials)
  $P -m training.trials list >"$W/trials.txt"
  while read -r name arguments; do
    (
      # shellcheck disable=SC2086
      $P -m training.rank --groups "$W/data/groups.pt" --init S="$W/mlm/small-more" --vocabulary $V --steps "$2" \
        $arguments --out "$W/trials/$name" >"$W/log/trial-$name.log" 2>&1
      $P -m training.score --sets "$W/eval/dev.json.gz" --models S="$W/trials/$name/small" --vocabulary $V \
        --out "$W/trials/scores/$name.npz" >>"$W/log/trial-$name.log" 2>&1
    ) &
  done <"$W/trials.txt"
  $P -m training.score --sets "$W/eval/dev.json.gz" --models S=models/small T=models/tiny --teacher "$W/teacher" \
    --vocabulary $V --out "$W/trials/baseline.npz" >"$W/log/baseline.log" 2>&1 &
  wait
  $P -m training.trials pick --sets "$W/eval/dev.json.gz" --scores "$W/trials/scores" >"$W/chosen.txt" 2>"$W/log/pick.log"
  cat "$W/log/pick.log" "$W/chosen.txt"
  tail -n 2 "$W"/log/trial-*.log ;;
train)
  # shellcheck disable=SC2046
  setsid -f sh -c "$P -m training.rank --groups $W/data/groups.pt --init S=$W/mlm/small-more T=$W/mlm/tiny-more --vocabulary $V \
    --seconds $2 $(cat "$W/chosen.txt") --out $W/new >$W/log/train.log 2>&1; touch $W/train.done" ;;
wait)
  for ((i = 0; i < $3; i++)); do
    [ -e "$W/$2" ] && break
    sleep 1
  done
  tail -n 3 "$W"/log/*.log ;;
evaluate)
  for part in dev test; do
    for age in new old; do
      small=$W/new/small tiny=$W/new/tiny
      [ $age = old ] && small=models/small tiny=models/tiny
      $P -m training.score --sets "$W/eval/$part.json.gz" --models S="$small" T="$tiny" --variants SSS TTT SST \
        --vocabulary $V --out "$W/scores/$age-$part.npz" >"$W/log/score-$age-$part.log" 2>&1 &
    done
  done
  wait
  tail -n 2 "$W"/log/score-*.log ;;
*) echo "unknown step $1" >&2; exit 2 ;;
esac
