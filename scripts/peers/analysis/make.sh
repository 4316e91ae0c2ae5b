#!/usr/bin/env bash
# Asks the real Lucene (in Anserini) and Terrier how they analyse text, and rewrites
# src/retrieval/analysis/word-break-data.ts and tests/fixtures/analysis from the answers:
#   bash scripts/peers/analysis/make.sh WORKDIR
# Needs what ../install.sh needs, `npm ci`, and BERT_QE_COLLECTIONS (docs/collections.md).
# PEERS_DIR (default WORKDIR/peers) may point at an earlier install.
set -euo pipefail

WORK=$(mkdir -p "${1:?usage: make.sh WORKDIR}" && cd "$1" && pwd)
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$HERE/../../.." && pwd)
export BERT_QE_COLLECTIONS=${BERT_QE_COLLECTIONS:?names the folder of the test collections (docs/collections.md)}
PEERS_DIR=${PEERS_DIR:-$WORK/peers}

bash "$HERE/../install.sh" "$PEERS_DIR"
. "$PEERS_DIR/env.sh"
"$PEERS_JAVA" -jar "$ECJ_JAR" -21 -cp "$ANSERINI_JAR:$TERRIER_JAR" -d "$WORK/classes" "$HERE"/*.java

export LUCENE="$PEERS_JAVA -Xmx1g -cp $WORK/classes:$ANSERINI_JAR LuceneOracle"
export TERRIER="$PEERS_JAVA -Xmx1g -Dterrier.home=$WORK -Dlogback.configurationFile=$HERE/../logback.xml -cp $WORK/classes:$TERRIER_JAR TerrierOracle"

"$PEERS_JAVA" -cp "$WORK/classes:$ANSERINI_JAR" WordBreakClasses > "$WORK/classes.tsv"
node "$HERE/make-word-break.mjs" "$WORK/classes.tsv" "$ROOT/src/retrieval/analysis/word-break-data.ts"

"$ROOT/node_modules/.bin/tsc" --ignoreConfig --module nodenext --target es2023 --outDir "$WORK/samples" \
  "$ROOT"/tests/retrieval/analysis/{samples,tricky}.ts
echo '{ "type": "module" }' > "$WORK/samples/package.json"
node "$HERE/make-fixtures.mjs" "$WORK/samples" "$ROOT/tests/fixtures/analysis"
