#!/usr/bin/env bash
# Writes the terms that Terrier's and Anserini's own readers of TREC SGML give, into tests/fixtures/peers/sgml:
#   bash scripts/peers/sgml.sh PEERS_DIR CLASSES_DIR
# PEERS_DIR is what install.sh left, CLASSES_DIR what compile.sh wrote (it is written where it is missing).
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
FIXTURES=$HERE/../../tests/fixtures
. "$1/env.sh"
[ -f "$2/terrier/TerrierSgml.class" ] || bash "$HERE/compile.sh" "$1" "$2"

files=$(find "$FIXTURES/collection/robust04" -type f ! -iname 'read*' ! -iname '*dtd' ! -name CHECKSUMS | sort)
"$PEERS_JAVA" -Dlogback.configurationFile="$HERE/logback.xml" -cp "$2/terrier:$TERRIER_JAR" \
  TerrierSgml $files "$FIXTURES/peers/sgml/odd.sgml" > "$FIXTURES/peers/sgml/terrier.jsonl"
for folder in collection/robust04 peers/sgml; do
  "$PEERS_JAVA" -cp "$2/anserini:$ANSERINI_JAR" AnseriniSgml "$FIXTURES/$folder" 2> /dev/null
done > "$2/anserini.jsonl"
mv "$2/anserini.jsonl" "$FIXTURES/peers/sgml/anserini.jsonl"
