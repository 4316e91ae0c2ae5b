#!/usr/bin/env bash
# Compiles our Java drivers: compile.sh PEERS_DIR CLASSES_DIR, with PEERS_DIR as install.sh left it.
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
. "$1/env.sh"
"$PEERS_JAVA" -jar "$ECJ_JAR" -21 -nowarn -cp "$TERRIER_JAR" -d "$2/terrier" "$HERE/java/terrier"
"$PEERS_JAVA" -jar "$ECJ_JAR" -21 -nowarn -cp "$ANSERINI_JAR" -d "$2/anserini" "$HERE/java/anserini"
