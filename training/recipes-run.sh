#!/bin/bash
# On the GPU machine: recipes for fine-tuning phase three, on development sets in five folds; and chunks of short documents (docs/models.md, section 16).
#   recipes-run.sh SECONDS OUT first|second|soup|judged|small   needs dev.json.xz (training.first_stage) in the work folder
set -u
W=${W:-/tmp/residual}
P=${PYTHON:-python3}
export PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=true RAYON_NUM_THREADS=2
mkdir -p "$W"/{log,recipes}
[ -f "$W/dev.json.gz" ] || xz -dc "$W/dev.json.xz" | gzip -1 >"$W/dev.json.gz"
third=T=models/tiny
[ "$3" = small ] && third=S=models/small
common="--sets $W/dev.json.gz --vocabulary models/tiny --first S=models/small --third $third"
recipes() { # part, seed, recipes…
  for collection in adi med lisa time demo wiki_title wiki_need scifact_train obliqa_dev; do
    # shellcheck disable=SC2046,SC2086
    setsid nohup $P -m training.residual_recipes run $common --limit 100 --collection $collection --seed "$2" ${soup:-} \
      --out "$W/recipes/$collection.$1.npz" $(printf -- '--recipe %s ' "${@:3}") >"$W/log/$collection.$1.log" 2>&1 </dev/null &
  done
}
# shellcheck disable=SC2086
size() { setsid nohup $P -m training.feedback_size $common --limit 100 --out /dev/null "${@:2}" >"$W/log/$1.log" 2>&1 </dev/null & }
case $3 in
first)
  recipes a 0 residual,2e-4,0.3,24,6 residual,4e-4,0.3,24,6 residual,2e-4,0.15,24,6
  recipes b 0 listwise,2e-4,0.3,24,6 residual,2e-4,0.3,10,6 listwise,4e-4,0.3,10,6
  size short --cut 36 --collections adi med lisa demo wiki_title wiki_need --words 10 20 50 --share 0.5 1 --kept 3 5 10
  size half --words 30 50 80 --share 0.5 --kept 3 5
  ;;
second) # few steps, two seeds
  for seed in 1 2; do
    recipes $seed $seed residual,1e-4,0.3,10,1 residual,2e-4,0.3,10,1 residual,4e-4,0.3,10,1 residual,1e-4,0.3,10,2 residual,2e-4,0.3,10,2 \
      residual,2e-4,0.3,24,1 residual,1e-4,0.3,24,2 residual,2e-4,0.5,10,1
  done ;;
soup) # the weights of five trainings averaged
  soup="--soup 5"
  recipes e 0 residual,2e-4,0.5,10,3 residual,4e-4,0.5,10,2
  recipes f 0 residual,2e-4,0.3,24,4
  recipes g 0 residual,1e-4,0.5,10,4 listwise,2e-4,0.5,24,2
  ;;
judged) # chunks of relevant documents
  recipes h 0 residual,1e-4,0.5,10,6 residual,1e-4,0.5,10,6,0.5 residual,1e-4,0.5,10,6,1
  recipes i 0 residual,2e-4,0.5,10,6,0.5 residual,2e-4,0.5,24,6,0.5 residual,4e-4,0.5,10,6,0.5
  recipes j 0 listwise,1e-4,0.5,24,6,0.5 listwise,2e-4,0.5,24,6,1 residual,1e-4,0.3,24,12,0.7
  ;;
small) # S in phase three
  recipes k 0 residual,3e-5,0.5,10,3 residual,1e-4,0.5,10,3
  recipes l 0 residual,3e-5,0.3,24,4
  ;;
esac
until=$((SECONDS + $1))
while pgrep -f "training[.](residual|feedback_size)" >/dev/null && [ $SECONDS -lt "$until" ]; do sleep 2; done
for part in $(ls "$W"/recipes | sed 's/.*\.\(.*\)\.npz/\1/' | sort -u); do
  $P -m training.residual_recipes report "$W"/recipes/*."$part".npz | grep "α 0.\(15\|2\|3\) \|as it" | cut -c1-52
done
grep -hs "α 0.15" "$W"/log/{short,half}.log | cut -c12-200
tail -qn 1 "$W"/log/*.log | cut -c1-100
tar -C "$W" -cJf "$2/recipes.tar.xz" log recipes
ls -l "$2"
