#!/usr/bin/env bash
# Runs a server that install.sh assembled, in the foreground and on the loopback interface only: its process id is
# this script's, so whoever started it can kill it.
#
#   scripts/engines/run.sh SERVER_FOLDER PORT DATA_FOLDER
set -euo pipefail
server=${1:?folder of the server}
port=${2:?port}
data=${3:?folder for its data}
mkdir -p "$data/config" "$data/data" "$data/logs"
cp "$server/config/log4j2.properties" "$data/config/"
# Garbage-collection logs and crash files would go into the server's own folder.
grep -v -E 'gc\.log|HeapDumpPath|ErrorFile' "$server/config/jvm.options" >"$data/config/jvm.options"
cat >"$data/config/$(basename "$server" | sed 's/-.*//').yml" <<SETTINGS
cluster.name: bert-qe-tests-$port
node.name: node-$port
path.data: $data/data
path.logs: $data/logs
http.host: 127.0.0.1
http.port: $port
transport.host: 127.0.0.1
transport.port: $((port + 1000))
discovery.type: single-node
cluster.routing.allocation.disk.threshold_enabled: false
action.auto_create_index: false
SETTINGS
heap="-Xms${BERT_QE_ENGINE_HEAP:-512m} -Xmx${BERT_QE_ENGINE_HEAP:-512m}"
case $(basename "$server") in
  opensearch-*)
    export OPENSEARCH_PATH_CONF=$data/config OPENSEARCH_JAVA_OPTS=$heap
    # 3.x wants Java 21.
    command=("$server/bin/opensearch")
    ;;
  elasticsearch-*)
    echo "xpack.security.enabled: false" >>"$data/config/elasticsearch.yml"
    export ES_PATH_CONF=$data/config ES_JAVA_OPTS=$heap
    command=("$server/bin/elasticsearch")
    ;;
  *)
    echo "run.sh: $server is not a server made by install.sh" >&2
    exit 2
    ;;
esac
if [ -z "${JAVA_HOME:-}" ]; then
  JAVA_HOME=$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")
  export JAVA_HOME
fi
# Elasticsearch looks for a Java of its own first, which this server does not have.
export ES_JAVA_HOME=${ES_JAVA_HOME:-$JAVA_HOME}
# The servers refuse to run as root.
if [ "$(id -u)" = 0 ]; then
  chown -R nobody "$data"
  command=(setpriv --reuid=nobody --clear-groups "${command[@]}")
fi
exec "${command[@]}"
