#!/bin/bash
# The third run on the GPU machine: a T that counts shared words in phase three (docs/models.md, section 13).
#   overlap-run.sh receive N          move .carry/N into the work folder (see expansion-run.sh)
#   overlap-run.sh data               pairs with short chunks, and with chunks of any length
#   overlap-run.sh trials SECONDS     T towards different targets, side by side, and their development scores
#   overlap-run.sh evaluate NAME      development and test scores of the trial that was chosen
# Needs in the work folder: corpus/corpus-*.npz, eval/dkl-{dev,test}.json.gz, start/{small,tiny} (weights before calibration).
set -u
W=${W:-/tmp/work}
P=${PYTHON:-python3}
export PYTHONUNBUFFERED=1
mkdir -p "$W"/{log,corpus,eval,scores,trials}
V=models/tiny

# Letter of the model in variants, name, length of the chunks in its pairs (short or any), arguments of training.overlap.
trials() {
  cat <<TRIALS
A words short
B kept short --keep 0.3
C half short --keep 0.5 --scale 10
D long any
E long-kept any --keep 0.3
TRIALS
}

case $1 in
receive) exec bash training/expansion-run.sh receive "$2" ;;
data)
  $P -m training.overlap_pairs --corpus "$W/corpus" --documents "${DOCUMENTS:-60000}" --hidden 40000 --words 10 13 --vocabulary $V \
    --out "$W/pairs-short.pt" 2>&1 | tee "$W/log/pairs-short.log"
  $P -m training.overlap_pairs --corpus "$W/corpus" --documents "${DOCUMENTS:-60000}" --hidden 40000 --words 10 100 --vocabulary $V \
    --out "$W/pairs-any.pt" 2>&1 | tee "$W/log/pairs-any.log" ;;
trials)
  models=() variants=()
  while read -r letter name length arguments; do
    # shellcheck disable=SC2086
    $P -m training.overlap --pairs "$W/pairs-$length.pt" $arguments --init T="$W/start/tiny" --vocabulary $V --seconds "$2" \
      --out "$W/trials/$name" >"$W/log/trial-$name.log" 2>&1 &
    models+=("$letter:T=$W/trials/$name")
    variants+=("SS$letter")
  done < <(trials)
  wait
  tail -qn 2 "$W"/log/trial-*.log
  for words in 10 20 50 100; do
    $P -m training.score --sets "$W/eval/dkl-dev.json.gz" --limit 100 --chunk-words $words --models S="$W/start/small" \
      T="$W/start/tiny" "${models[@]}" --variants SST "${variants[@]}" --vocabulary $V --out "$W/scores/trials-$words.npz" \
      >"$W/log/score-$words.log" 2>&1 &
  done
  wait
  tail -qn 1 "$W"/log/score-*.log ;;
evaluate)
  score() { # name, sets, options…
    $P -m training.score --sets "$W/eval/$2.json.gz" --models S="$W/start/small" T="$W/start/tiny" X:T="$W/trials/$NAME" \
      --vocabulary $V --chunk-words "${WORDS:-10}" --out "$W/scores/$1.npz" "${@:3}" >"$W/log/score-$1.log" 2>&1
  }
  NAME=$2
  score overlap-dev dkl-dev --limit 200 --variants SSX TTX SST TTT &
  score overlap-test dkl-test --depth 100 --variants SSX TTX &
  score overlap-test-deep dkl-test --variants SSX &
  wait
  tail -qn 1 "$W"/log/score-overlap-*.log ;;
*) echo "unknown step $1" >&2; exit 2 ;;
esac
