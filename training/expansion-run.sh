#!/bin/bash
# The second run on the GPU machine: models that make expansion work (see README.md).
#   expansion-run.sh receive N        move .carry/N into the work folder, unpack
#   expansion-run.sh data QUERIES     passages, queries, candidates, and chunks of QUERIES hidden queries
#   expansion-run.sh trials STEPS     T trained for phase three on different targets, and their development scores
#   expansion-run.sh train SECONDS SHARE_S SHARE_T RATE_S RATE_T
#                                     S and T, each with its own share of chunks and learning rate, in the background,
#                                     towards the target in target.txt
#   expansion-run.sh wait FILE SECONDS
#   expansion-run.sh evaluate         development and test scores
set -u
W=${W:-/tmp/work}
P=${PYTHON:-python3}
export PYTHONUNBUFFERED=1 TORCHINDUCTOR_CACHE_DIR=$W/compiled
mkdir -p "$W"/{log,corpus,eval,scores}
V=models/tiny

case $1 in
receive)
  cp -r ".carry/$2"/. "$W/" && find "$W/corpus" -name '*.xz' -print0 |
    xargs -0 -r -P 8 -n 1 $P -c 'import lzma, os, shutil, sys
with lzma.open(sys.argv[1]) as packed, open(sys.argv[1][:-3], "wb") as plain: shutil.copyfileobj(packed, plain, 1 << 22)
os.remove(sys.argv[1])' ;;
data)
  for one in S:small T:tiny; do # the shipped models of the first run, their calibration taken off again
    IFS=: read -r letter name <<<"$one"
    $P -m training.calibrate --size "$letter" --weights "models/$name" --scale 1.66666667 --shift 1.66666667 --vocabulary $V \
      --out "$W/start/$name"
  done
  $P -m training.rank --rehearse --init S="$W/start/small" T="$W/start/tiny" --vocabulary $V >"$W/log/rehearse.log" 2>&1 &
  (
    $P -m training.ceiling --sets "$W/eval/dkl-dev.json.gz" --limit 100 --small "$W/start/small" --teacher "$W/teacher" \
      --vocabulary $V --out "$W/scores/ceiling.npz" >"$W/log/ceiling.log" 2>&1
    $P -m training.phase_three_trials compare --sets "$W/eval/dkl-dev.json.gz" --scores "$W/scores/ceiling.npz" \
      --variants SSS SSX SPP >>"$W/log/ceiling.log" 2>&1
  ) &
  $P -m training.dataset --corpus "$W/corpus" --vocabulary $V --workers 16 --out "$W/data" 2>&1 | tee "$W/log/dataset.log" &&
    $P -m training.mine --dataset "$W/data/dataset.npz" --teacher "$W/teacher" --vocabulary $V --out "$W/data" 2>&1 |
    tee "$W/log/mine.log" &&
    $P -m training.feedback --groups "$W/data/groups.pt" --teacher "$W/teacher" --chooser S="$W/start/small" \
      --vocabulary $V --queries "$2" --out "$W/data/feedback.pt" 2>&1 | tee "$W/log/feedback.log"
  wait
  tail -n 1 "$W/log/rehearse.log"
  tail -n 12 "$W/log/ceiling.log" ;;
trials)
  $P -m training.phase_three_trials list >"$W/trials.txt"
  models=() variants=()
  while read -r letter name arguments; do
    # shellcheck disable=SC2086
    $P -m training.rank --groups "$W/data/groups.pt" ${arguments//FEEDBACK/$W/data/feedback.pt} --chunk-share 0.5 --rate 0.5 \
      --init T="$W/start/tiny" --vocabulary $V --steps "$2" --out "$W/trials/$name" >"$W/log/trial-$name.log" 2>&1 &
    models+=("$letter:T=$W/trials/$name/tiny")
    variants+=("SS$letter")
  done <"$W/trials.txt"
  wait
  $P -m training.score --sets "$W/eval/dkl-dev.json.gz" --limit 100 --models S="$W/start/small" T="$W/start/tiny" \
    "${models[@]}" --variants SST "${variants[@]}" --vocabulary $V --out "$W/scores/trials.npz" 2>&1 | tee "$W/log/score-trials.log"
  tail -qn 1 "$W"/log/trial-*.log
  $P -m training.phase_three_trials compare --sets "$W/eval/dkl-dev.json.gz" --scores "$W/scores/trials.npz" ;;
train)
  for one in S:small:$3:$5 T:tiny:$4:$6; do
    IFS=: read -r letter name share rate <<<"$one"
    # shellcheck disable=SC2046
    setsid -f sh -c "$P -m training.rank --groups $W/data/groups.pt --feedback $W/data/feedback.pt --chunk-share $share --rate $rate \
      --target $(cat "$W/target.txt") --init $letter=$W/start/$name --vocabulary $V --seconds $2 --out $W/new \
      >$W/log/train-$letter.log 2>&1; touch $W/train-$letter.done"
  done ;;
wait)
  for ((i = 0; i < $3; i++)); do
    [ -e "$W/$2" ] && break
    sleep 1
  done
  tail -n 2 "$W"/log/*.log ;;
evaluate)
  score() { # name, sets, options…
    $P -m training.score --sets "$W/eval/$2.json.gz" --models S="$W/new/small" T="$W/new/tiny" --vocabulary $V \
      --out "$W/scores/$1.npz" "${@:3}" >"$W/log/score-$1.log" 2>&1
  }
  score new-dev dkl-dev --limit 200 --variants SSS SST TTT &
  score new-test dkl-test --depth 100 --variants SSS SST TTT &
  score new-test-deep dkl-test --variants SST &
  wait
  tail -n 2 "$W"/log/score-*.log ;;
*) echo "unknown step $1" >&2; exit 2 ;;
esac
