#!/usr/bin/env bash
# Whether tests/engines can run here: Java, Redis, and an OpenSearch server that starts. Puts the server together with
# install.sh where it is not there yet. Says why not, and exits 1, where they cannot.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
engines=${BERT_QE_ENGINES:-$here/../../../peers/engines}

cannot() {
  echo "$1"
  exit 1
}

for tool in java redis-server redis-cli curl; do
  command -v "$tool" >/dev/null || cannot "$tool is not installed"
done
if ! ls -d "$engines"/opensearch-* >/dev/null 2>&1; then
  command -v unzip >/dev/null || cannot "there is no OpenSearch server, and no unzip to get one with"
  if ! said=$(timeout 900 "$here/install.sh" opensearch 2>&1 >/dev/null); then
    cannot "the OpenSearch server cannot be fetched: ${said##*$'\n'}"
  fi
fi
# Elasticsearch is wanted too, but its suite is skipped where it cannot be had.
if ! ls -d "$engines"/elasticsearch-* >/dev/null 2>&1 && command -v unzip >/dev/null; then
  timeout 900 "$here/install.sh" elasticsearch >/dev/null 2>&1 || true
fi

data=$(mktemp -d)
"$here/run.sh" "$(ls -d "$engines"/opensearch-* | head -1)" 19390 "$data" >"$data/log" 2>&1 &
server=$!
trap 'kill -9 "$server" 2>/dev/null; wait "$server" 2>/dev/null; rm -rf "$data"' EXIT
for _ in $(seq 180); do
  curl -s -m 2 http://127.0.0.1:19390/_cluster/health >/dev/null && exit 0
  kill -0 "$server" 2>/dev/null || cannot "the OpenSearch server does not start: $(tail -1 "$data/log")"
  sleep 1
done
cannot "the OpenSearch server did not answer within three minutes"
