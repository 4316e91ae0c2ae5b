#!/usr/bin/env bash
# Benchmarks a peer on a collection, one thread, and prints one JSON line per measurement on stdout:
#   bash bench/retrieval/peers/run.sh lucene|terrier COLLECTION.jsonl QUERIES.tsv OUTDIR
# COLLECTION.jsonl has {"_id","title","text"} lines, QUERIES.tsv `id TAB text` lines; the index is left in OUTDIR/PEER.
# Indexing and searching are two processes, so that each has its own peak memory. PEERS_DIR (default OUTDIR/peers) keeps
# the install between calls; HEAP (default 1g) bounds the Java heap, off-heap and mapped memory come on top.
set -euo pipefail

PEER=${1:-} COLLECTION=${2:-} QUERIES=${3:-} OUT=${4:-}
case "$PEER" in lucene | terrier) ;; *) sed -n '2,6s/^# //p' "$0" >&2; exit 2 ;; esac
for file in "$COLLECTION" "$QUERIES"; do
  [ -f "$file" ] || { echo "run.sh: no such file: '$file'" >&2; exit 2; }
done
HERE=$(cd "$(dirname "$0")" && pwd)
SCRIPTS=$HERE/../../../scripts/peers
OUT=$(mkdir -p "${OUT:?run.sh: OUTDIR is missing}" && cd "$OUT" && pwd)
PEERS_DIR=${PEERS_DIR:-$OUT/peers}
INDEX=$OUT/$PEER
CLASSES=$OUT/classes/$PEER

bash "$SCRIPTS/install.sh" "$PEERS_DIR" >&2
. "$PEERS_DIR/env.sh"
if [ "$PEER" = lucene ]; then JAR=$ANSERINI_JAR; EXTRA=(); else JAR=$TERRIER_JAR; EXTRA=("$SCRIPTS/java/terrier/JsonlCollection.java"); fi
"$PEERS_JAVA" -jar "$ECJ_JAR" -21 -nowarn -cp "$JAR" -d "$CLASSES" "$HERE/common" "$HERE/$PEER" "${EXTRA[@]}" >&2

java() {
  "$PEERS_JAVA" -Xmx"${HEAP:-1g}" -XX:+UseSerialGC -Dterrier.home="$OUT" \
    -Dlogback.configurationFile="$SCRIPTS/logback.xml" -cp "$CLASSES:$JAR" "$@" 2> >(grep -v MemorySegment >&2 || true)
}
rm -rf "$INDEX"
if [ "$PEER" = lucene ]; then
  java LuceneIndex "$COLLECTION" "$INDEX"
  java LuceneSearch "$INDEX" "$QUERIES"
else
  java TerrierBenchIndex "$COLLECTION" "$INDEX"
  java TerrierSearch "$INDEX" "$QUERIES"
fi
