#!/bin/bash
# Phase three taught the teacher's cosine on chunks of about fifty words (docs/models.md, section 18), on the GPU machine.
#   cosine-run.sh receive N           move .carry/N into the work folder (see expansion-run.sh)
#   cosine-run.sh data QUERIES        passages, queries, candidates, chunks of QUERIES hidden queries
#   cosine-run.sh ceiling             what the teacher itself would give
#   cosine-run.sh trials SECONDS      models towards different targets, side by side, and their development scores
#   cosine-run.sh train SECONDS OUT   the T that was chosen; its weights go to OUT
#   cosine-run.sh evaluate OUT        its development and test scores
# Needs in the work folder: corpus/corpus-*.npz, teacher/, eval/dkl-{dev,test}.json.gz.
set -u
W=${W:-/tmp/work}
P=${PYTHON:-python3}
export PYTHONUNBUFFERED=1 TORCHINDUCTOR_CACHE_DIR=$W/compiled
mkdir -p "$W"/{log,corpus,eval,scores,trials}
V=models/tiny
LENGTH="--chunk-words 50 --chunks 5"
DEVELOPMENT=$W/eval/dkl-dev.json.gz

# Letter in variants, size, name, share of chunks, factor on the learning rate, target.
trials() {
  cat <<TRIALS
A T own 0.6 0.7 hidden=0 own=16
B T own-centroid 0.6 0.7 hidden=0 own=10 centroid=8
C T own-only 0.9 1.0 hidden=0 own=16
D S own 0.5 0.5 hidden=0 own=16
TRIALS
}

folder() { [ "$1" = S ] && echo small || echo tiny; }

train() { # line of trials, seconds, folder of the outcome
  read -r _ size _ share rate target <<<"$1"
  # shellcheck disable=SC2086
  $P -m training.rank --groups "$W/data/groups.pt" --feedback "$W/data/feedback.pt" --chunk-share "$share" --rate "$rate" \
    --target $target --init "$size=$W/start/$(folder "$size")" --vocabulary $V --seconds "$2" --out "$3"
}

score() { # name, sets, options…
  # shellcheck disable=SC2086
  $P -m training.score --sets "$W/eval/$2.json.gz" $LENGTH --vocabulary $V --out "$W/scores/$1.npz" "${@:3}" >"$W/log/score-$1.log" 2>&1
}

third() { # scores, variants…: what each phase three is worth
  for variant in "${@:2}"; do
    (echo "$variant"; $P -m training.grid third --sets "$DEVELOPMENT" --scores "$1" --variant "$variant" --first .5 -2 --beta .95) \
      >"$W/log/third-$variant.log" 2>&1 &
  done
  wait
  for variant in "${@:2}"; do cat "$W/log/third-$variant.log"; done
}

case $1 in
receive) exec bash training/expansion-run.sh receive "$2" ;;
data)
  for one in S:small:4 T:tiny:3; do # the shipped models, their calibration taken off again
    IFS=: read -r letter name shift <<<"$one"
    $P -m training.calibrate --size "$letter" --weights "models/$name" --scale 2 --shift "$shift" --vocabulary $V --out "$W/start/$name" &
  done
  $P -m training.dataset --corpus "$W/corpus" --vocabulary $V --workers 16 --out "$W/data" >"$W/log/dataset.log" 2>&1
  wait
  $P -m training.rank --rehearse --init T="$W/start/tiny" --vocabulary $V >"$W/log/rehearse.log" 2>&1 &
  $P -m training.mine --dataset "$W/data/dataset.npz" --teacher "$W/teacher" --vocabulary $V --out "$W/data" >"$W/log/mine.log" 2>&1 &&
    $P -m training.feedback --groups "$W/data/groups.pt" --teacher "$W/teacher" --chooser S="$W/start/small" --words 40 60 \
      --windows 2 --vocabulary $V --queries "$2" --out "$W/data/feedback.pt" >"$W/log/feedback.log" 2>&1
  wait
  tail -qn 1 "$W"/log/{dataset,mine,feedback,rehearse}.log ;;
ceiling)
  # shellcheck disable=SC2086
  $P -m training.ceiling --sets "$DEVELOPMENT" --limit 200 $LENGTH --small "$W/start/small" --teacher "$W/teacher" \
    --vocabulary $V --out "$W/scores/ceiling.npz" >"$W/log/ceiling.log" 2>&1
  third "$W/scores/ceiling.npz" SSX SPP SSS ;;
trials)
  models=() variants=()
  while read -r line; do
    read -r letter size name _ <<<"$line"
    train "$line" "$2" "$W/trials/$letter-$name" >"$W/log/trial-$letter-$name.log" 2>&1 &
    models+=("$letter:$size=$W/trials/$letter-$name/$(folder "$size")")
    variants+=("SS$letter")
  done < <(trials)
  wait
  tail -qn 2 "$W"/log/trial-*.log
  score trials dkl-dev --limit 200 --models S="$W/start/small" T="$W/start/tiny" "${models[@]}" --variants SST "${variants[@]}"
  third "$W/scores/trials.npz" SST "${variants[@]}" ;;
train)
  train "$(trials | grep ^A)" "$2" "$W/new" 2>&1 | tee "$W/log/train.log" | tail -n 2
  cp -r "$W/new" "$3/" ;;
evaluate)
  models="S=$W/start/small T=$W/start/tiny A:T=$W/new/tiny"
  # shellcheck disable=SC2086
  score dev dkl-dev --limit 200 --models $models --variants SST SSA TTT AAA &
  # shellcheck disable=SC2086
  score test dkl-test --depth 100 --models $models --variants SST SSA TTT AAA &
  wait -n
  cp "$W"/scores/*.npz "$2/"
  wait
  cp "$W"/scores/*.npz "$2/"
  tail -qn 1 "$W"/log/score-*.log ;;
*) echo "unknown step $1" >&2; exit 2 ;;
esac
