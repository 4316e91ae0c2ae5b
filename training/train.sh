#!/usr/bin/env bash
# Trains models/small and models/tiny from public text, in order (README.md):
#   BERT_QE_COLLECTIONS=DIR SUPERVISION=DIR EXTRA=DIR WIKIPEDIA=tok2.npz ARXIV=GITDIR TEACHER=DIR bash training/train.sh WORKDIR
# Run it in the repository root after `npm run build`. Set SMALL_STEPS to a small number for a trial on a CPU.
set -euo pipefail
W=${1:?usage: train.sh WORKDIR}
V=models/tiny # the vocabulary of both models
P=${PYTHON:-python3}
export PYTHONUNBUFFERED=1
: "${BERT_QE_COLLECTIONS:?}" "${SUPERVISION:?}" "${EXTRA:?}" "${WIKIPEDIA:?}" "${ARXIV:?}" "${TEACHER:?}"
steps() { echo "${SMALL_STEPS:-$1}"; }
mkdir -p "$W/train"

# Text: the corpus in four parts, of which two train; evaluation sets; the teacher in its smaller form.
$P -m training.prepare --collections "$BERT_QE_COLLECTIONS" --supervision "$SUPERVISION" --wikipedia "$WIKIPEDIA" \
  --arxiv "$ARXIV" --vocabulary $V --parts 4 --out "$W/corpus"
cp "$W"/corpus/corpus-[01].npz "$W/train/"
$P -m training.first_stage --collections "$BERT_QE_COLLECTIONS" --supervision "$SUPERVISION" --extra "$EXTRA" \
  --wikipedia "$WIKIPEDIA" --vocabulary $V --work "$W/first-stage" --out "$W/eval"
$P -m training.teacher --model "$TEACHER" --out "$W/teacher"

# Masked language models.
$P -m training.mlm --size S --corpus "$W/train" --vocabulary $V --steps "$(steps 14200)" --learning-rate 1e-3 --out "$W/mlm/small"
$P -m training.mlm --size T --corpus "$W/train" --vocabulary $V --steps "$(steps 11500)" --learning-rate 1.5e-3 --out "$W/mlm/tiny"

# Ranking, first stage: candidates of random shards, plain chunks, both sizes on the same batches.
$P -m training.dataset --corpus "$W/train" --vocabulary $V --out "$W/data"
$P -m training.mine --dataset "$W/data/dataset.npz" --within shards --teacher "$W/teacher" --vocabulary $V --out "$W/shards"
$P -m training.rank --groups "$W/shards/groups.pt" --init S="$W/mlm/small" T="$W/mlm/tiny" --vocabulary $V \
  --steps "$(steps 19544)" --out "$W/first"

# Ranking, second stage: candidates on one subject, chunks as phase three sees them.
$P -m training.mine --dataset "$W/data/dataset.npz" --within clusters --teacher "$W/teacher" --vocabulary $V --out "$W/clusters"
$P -m training.feedback --groups "$W/clusters/groups.pt" --teacher "$W/teacher" --chooser S="$W/first/small" --vocabulary $V \
  --queries 120000 --out "$W/clusters/feedback.pt"
$P -m training.rank --groups "$W/clusters/groups.pt" --feedback "$W/clusters/feedback.pt" --chunk-share 0.35 --rate 0.5 \
  --init S="$W/first/small" --vocabulary $V --steps "$(steps 12514)" --out "$W/second"
$P -m training.rank --groups "$W/clusters/groups.pt" --feedback "$W/clusters/feedback.pt" --chunk-share 0.6 --rate 0.7 \
  --init T="$W/first/tiny" --vocabulary $V --steps "$(steps 21206)" --out "$W/second"

# Scores of development and test sets; the settings are searched on the first and reported on the second.
score() { # name of the sets, options…
  $P -m training.score --sets "$W/eval/$1.json.gz" --depth 100 --models S="$W/second/small" T="$W/second/tiny" \
    --variants SST TTT --chunk-words 50 --chunks 5 --vocabulary $V --out "$W/scores/$1.npz" "${@:2}"
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
