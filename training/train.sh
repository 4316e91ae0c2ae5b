#!/usr/bin/env bash
# Trains models/small and models/tiny from public text, in order (README.md):
#   BERT_QE_COLLECTIONS=DIR MANY_RELEVANT=DIR SUPERVISION=DIR QUESTIONS=DIR EXTRA=DIR WIKIPEDIA=tok2.npz ARXIV=GITDIR \
#     ENCODERS="minilm=DIR bge=DIR e5=DIR" bash training/train.sh WORKDIR
# Run it in the repository root after `npm run build`. Set SMALL_STEPS to a small number for a trial on a CPU.
set -euo pipefail
W=${1:?usage: train.sh WORKDIR}
V=models/tiny # the vocabulary of both models
P=${PYTHON:-python3}
export PYTHONUNBUFFERED=1
: "${BERT_QE_COLLECTIONS:?}" "${MANY_RELEVANT:?}" "${SUPERVISION:?}" "${QUESTIONS:?}" "${EXTRA:?}" "${WIKIPEDIA:?}" "${ARXIV:?}" "${ENCODERS:?}"
sets=(--collections "$BERT_QE_COLLECTIONS" --many-relevant "$MANY_RELEVANT" --supervision "$SUPERVISION" --wikipedia "$WIKIPEDIA")
steps() { echo "${SMALL_STEPS:-$1}"; }

# Text: the corpus; evaluation sets; the encoders in their smaller form, and the mixture that is the teacher.
$P -m training.prepare "${sets[@]}" --questions "$QUESTIONS" --arxiv "$ARXIV" --vocabulary $V --out "$W/train"
$P -m training.first_stage "${sets[@]}" --extra "$EXTRA" --vocabulary $V --work "$W/first-stage" --out "$W/eval"
# shellcheck disable=SC2086
$P -m training.teacher --encoder $ENCODERS --out "$W/teacher"
$P -m training.compare_teachers --sets "$W/eval/dev.json.gz" --teacher "$W/teacher" --vocabulary $V

# Masked language models.
$P -m training.mlm --size S --corpus "$W/train" --vocabulary $V --steps "$(steps 14200)" --learning-rate 1e-3 --out "$W/mlm/small"
$P -m training.mlm --size T --corpus "$W/train" --vocabulary $V --steps "$(steps 11500)" --learning-rate 1.5e-3 --out "$W/mlm/tiny"

# Ranking, first stage: candidates of random shards, plain chunks, both sizes on the same batches.
$P -m training.dataset --corpus "$W/train" --vocabulary $V --out "$W/data"
$P -m training.mine --dataset "$W/data/dataset.npz" --within shards --teacher "$W/teacher" --vocabulary $V --out "$W/shards"
$P -m training.rank --groups "$W/shards/groups.pt" --init S="$W/mlm/small" T="$W/mlm/tiny" --vocabulary $V \
  --steps "$(steps 7700)" --out "$W/first"

# Ranking, second stage: candidates on one subject, chunks as phase three sees them.
$P -m training.mine --dataset "$W/data/dataset.npz" --within clusters --teacher "$W/teacher" --vocabulary $V --out "$W/clusters"
$P -m training.feedback --groups "$W/clusters/groups.pt" --teacher "$W/teacher" --chooser S="$W/first/small" --vocabulary $V \
  --queries 60000 --out "$W/clusters/feedback.pt"
$P -m training.rank --groups "$W/clusters/groups.pt" --feedback "$W/clusters/feedback.pt" --chunk-share 0.12 0.5 \
  --init S="$W/first/small@0.8" T="$W/first/tiny@0.7" --vocabulary $V --steps "$(steps 10000)" --out "$W/second"

# Scores of development and test sets; the settings are searched on the first and reported on the second.
score() { # name of the sets, options…
  $P -m training.score --sets "$W/eval/$1.json.gz" --depth 100 --models S="$W/second/small" T="$W/second/tiny" \
    --variants SST TTT --chunk-words 50 --chunks 10 --vocabulary $V --out "$W/scores/$1.npz" "${@:2}"
}
score dev --limit 200
score test
$P -m training.grid search --sets "$W/eval/dev.json.gz" --scores "$W/scores/dev.npz" --variant SST
$P -m training.grid third --sets "$W/eval/dev.json.gz" --scores "$W/scores/dev.npz" --variant SST --first .5 -2 --beta .95

# The calibrations that ship, folded into the classifiers.
$P -m training.calibrate --size S --weights "$W/second/small" --scale 0.5 --shift -2 --vocabulary $V --out "$W/models/small"
$P -m training.calibrate --size T --weights "$W/second/tiny" --scale 0.5 --shift -1.5 --vocabulary $V --out "$W/models/tiny"
$P -m training.grid report --sets "$W/eval/test.json.gz" --scores "$W/scores/test.npz" --variant SST \
  --first .5 -2 --third .5 -1.5 --alpha .15 --beta .95
