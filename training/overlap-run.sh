#!/bin/bash
# The third run on the GPU machine: a T that counts shared words in phase three (docs/models.md, section 13).
#   overlap-run.sh receive N          move .carry/N into the work folder (see expansion-run.sh)
#   overlap-run.sh data               pairs with short chunks, and with chunks of any length
#   overlap-run.sh trials SECONDS     T towards different targets, side by side, and their development scores
#   overlap-run.sh longer-data        pairs with chunks of 10 to 60 words
#   overlap-run.sh longer SECONDS     the second round of trials
#   overlap-run.sh lengths            development scores by the length and number of chunks, of the models one starts from
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
C article short --article 4
D article-only short --scale 6 --keep 0.3 --article 5
E long any
F long-kept any --keep 0.3
G long-article any --article 4
TRIALS
}

# The second round: what won the first, for longer.
longer() {
  cat <<TRIALS
A article-4 any --article 4
B article-8 any --article 8
C article-kept any --article 4 --keep 0.3
D article-6-12 any --article 6 --scale 12
TRIALS
}

train() { # round, seconds: every model of a round at once; fills models and variants
  models=() variants=()
  while read -r letter name length arguments; do
    # shellcheck disable=SC2086
    $P -m training.overlap --pairs "$W/pairs-$length.pt" $arguments --init T="$W/start/tiny" --vocabulary $V --seconds "$2" \
      --out "$W/trials/$name" >"$W/log/trial-$name.log" 2>&1 &
    models+=("$letter:T=$W/trials/$name")
    variants+=("SS$letter")
  done < <("$1")
  wait
  tail -qn 2 "$W"/log/trial-*.log
}

development() { # words of a chunk, queries of a set, variants…: in the background
  $P -m training.score --sets "$W/eval/dkl-dev.json.gz" --limit "$2" --chunk-words "$1" --models S="$W/start/small" \
    T="$W/start/tiny" "${models[@]}" --variants SST "${@:3}" --vocabulary $V --out "$W/scores/$step-$1.npz" \
    >"$W/log/score-$1.log" 2>&1 &
}

pairs() { # name, shortest and longest chunk in words
  $P -m training.overlap_pairs --corpus "$W/corpus" --documents "${DOCUMENTS:-200000}" --hidden "${HIDDEN:-24000}" --words "$2" "$3" \
    --vocabulary $V --out "$W/pairs-$1.pt" 2>&1 | tee "$W/log/pairs-$1.log"
}

step=$1
case $step in
receive) exec bash training/expansion-run.sh receive "$2" ;;
data)
  pairs short 10 13 &
  pairs any 10 100
  wait ;;
trials)
  train trials "$2"
  development 10 100 "${variants[@]}"
  development 30 100 SSE SSF SSG
  development 100 100 SSE SSF SSG
  wait
  tail -qn 1 "$W"/log/score-*.log ;;
longer-data) pairs any 10 60 ;;
longer)
  train longer "$2"
  for words in 10 20 30 50; do development $words 200 "${variants[@]}"; done
  wait
  tail -qn 1 "$W"/log/score-*.log ;;
lengths)
  many() { # name, options…: twenty chunks, of which any number can be taken later
    $P -m training.score --sets "$W/eval/dkl-dev.json.gz" --limit 200 --models S="$W/start/small" T="$W/start/tiny" --vocabulary $V \
      --out "$W/scores/$1.npz" "${@:2}" >"$W/log/score-$1.log" 2>&1 &
  }
  for words in 10 15 20 30 40; do many lengths-$words --chunk-words $words --chunks 20 --variants SST TTT; done
  for words in 20 30; do many small-$words --chunk-words $words --variants SSS; done
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
