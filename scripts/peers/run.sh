#!/usr/bin/env bash
# Runs the real Terrier and Anserini on Cranfield, NPL and the tiny collection, checks both against the formulas, and
# rewrites tests/fixtures/peers from nothing:
#   bash scripts/peers/run.sh WORKDIR
# Needs Python 3.11+, pip, curl, and BERT_QE_COLLECTIONS (docs/collections.md); no Java.
# PEERS_DIR (default WORKDIR/peers) may point at an earlier install.
set -euo pipefail

WORK=$(mkdir -p "${1:?usage: run.sh WORKDIR}" && cd "$1" && pwd)
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
COLLECTIONS=${BERT_QE_COLLECTIONS:?names the folder of the test collections (docs/collections.md)}
FIXTURES=$ROOT/tests/fixtures/peers
PEERS_DIR=${PEERS_DIR:-$WORK/peers}

SEARCHED="cranfield npl tiny"          # indexed and searched by both
ANALYSED="cranfield npl cisi cacm adi" # analysed by both, term by term
PROBED="$ANALYSED scifact squad_dev obliqa" # their words are tried on Terrier's stop list

bash "$HERE/install.sh" "$PEERS_DIR"
. "$PEERS_DIR/env.sh"
bash "$HERE/compile.sh" "$PEERS_DIR" "$WORK/classes"

terrier() {
  "$PEERS_JAVA" -Xmx1g -Dterrier.home="$WORK" -Dlogback.configurationFile="$HERE/logback.xml" \
    -cp "$WORK/classes/terrier:$TERRIER_JAR" "$@"
}
anserini() { "$PEERS_JAVA" -Xmx1g -cp "$WORK/classes/anserini:$ANSERINI_JAR" "$@" 2> "$WORK/anserini.log"; }
same() { cmp <(columns "$1") <(columns "$2") || { echo "$1 and $2 differ" >&2; exit 1; }; }
columns() { awk '{ print $1, $3 }' "$1" | sort -s -k 1,1; }

for name in tiny $ANALYSED; do
  [ "$name" = tiny ] && source=$FIXTURES/tiny || source=$COLLECTIONS/$name
  echo "== analyse $name" >&2
  python3 "$HERE/prepare.py" "$source" "$WORK/$name"
  for part in docs/docs queries; do
    out=$WORK/$name/terrier.${part##*/}.tokens
    terrier TerrierTokens EnglishTokeniser Stopwords PorterStemmer < "$WORK/$name/$part.jsonl" > "$out"
    anserini AnseriniTokens < "$WORK/$name/$part.jsonl" > "$WORK/$name/anserini.${part##*/}.tokens"
  done
done

for name in $SEARCHED; do
  echo "== search $name" >&2
  dir=$WORK/$name
  rm -rf "$dir/terrier" "$dir/anserini"
  terrier TerrierTokens EnglishTokeniser < "$dir/queries.jsonl" > "$dir/terrier.surface.tokens"
  python3 "$HERE/surface_words.py" "$dir/terrier.surface.tokens" |
    terrier TerrierTokens EnglishTokeniser Stopwords PorterStemmer > "$dir/terrier.surface.stems"
  terrier TerrierIndex "$dir/docs/docs.jsonl" "$dir/terrier/index"
  terrier TerrierRun "$dir/terrier/index" "$dir/queries.tsv" "$dir/terrier/runs"
  for index in index index-exact; do
    accurate=$([ $index = index ] || echo -bm25.accurate)
    anserini io.anserini.index.IndexCollection -collection JsonCollection -input "$dir/docs" \
      -index "$dir/anserini/$index" -generator DefaultLuceneDocumentGenerator -threads 1 -storeDocvectors \
      $accurate > /dev/null
  done
  anserini AnseriniRun "$dir/anserini/index" "$dir/anserini/index-exact" "$dir/queries.tsv" "$dir/anserini/runs"

  # The same through each peer's own command line: our drivers must rank alike.
  mkdir -p "$dir/terrier/cli" "$dir/anserini/cli" "$WORK/var/results"
  for model in dph dph-kl; do
    expand=$([ $model = dph ] || echo -q -Dtrec.qe.model=KL)
    terrier org.terrier.applications.CLITool batchretrieval -I "$dir/terrier/index/data.properties" \
      -s -DSingleLineTRECQuery.tokenise=true -t "$dir/queries.tsv" -w DPH $expand -o "$dir/terrier/cli/$model.run"
    same "$dir/terrier/cli/$model.run" "$dir/terrier/runs/$model.run"
  done
  for model in bm25 ql bm25-rm3 ql-rm3; do
    flags=$(sed 's/^ql/-qld/; s/^bm25/-bm25/; s/-rm3/ -rm3/' <<< $model)
    anserini io.anserini.search.SearchCollection -index "$dir/anserini/index" -topics "$dir/queries.tsv" \
      -topicReader TsvString -output "$dir/anserini/cli/$model.run" $flags > /dev/null
    same "$dir/anserini/cli/$model.run" "$dir/anserini/runs/$model.run"
  done

  sample=$(python3 "$HERE/sample_terms.py" "$dir")
  terrier TerrierStats "$dir/terrier/index" $sample > "$dir/terrier/stats.json"
  anserini AnseriniStats "$dir/anserini/index" $sample > "$dir/anserini/stats.json"
done

bash "$HERE/sgml.sh" "$PEERS_DIR" "$WORK/classes"

echo "== words and tricky strings" >&2
python3 "$HERE/words.py" "$COLLECTIONS" $PROBED > "$WORK/words.jsonl"
for name in $ANALYSED; do python3 "$HERE/words.py" "$COLLECTIONS" $name > "$WORK/$name/words.jsonl"; done
python3 "$HERE/tricky.py" > "$WORK/tricky.jsonl"
for file in words tricky; do
  terrier TerrierTokens EnglishTokeniser Stopwords PorterStemmer < "$WORK/$file.jsonl" > "$WORK/$file.terrier"
  anserini AnseriniTokens < "$WORK/$file.jsonl" > "$WORK/$file.anserini"
done
terrier TerrierTokens UTFTokeniser Stopwords PorterStemmer < "$WORK/tricky.jsonl" > "$WORK/tricky.terrier-utf"

echo "== check against the formulas" >&2
python3 "$HERE/check.py" "$WORK" $SEARCHED
echo "== write $FIXTURES" >&2
"$PEERS_PYTHON" "$HERE/fixtures.py" "$WORK" "$COLLECTIONS" "$FIXTURES"
