#!/usr/bin/env bash
# Prints the address that jars are fetched from: $MAVEN_REPOSITORY or, without it, the one that the Maven here uses by itself.
set -euo pipefail
if [ -n "${MAVEN_REPOSITORY:-}" ]; then
  echo "$MAVEN_REPOSITORY"
  exit
fi
fail() {
  echo "$1; set MAVEN_REPOSITORY to the address of a Maven repository, or install Maven" >&2
  exit 1
}
command -v mvn >/dev/null || fail "Maven is not installed"
home=$(mvn -v | sed -n 's/^Maven home: //p')
# The POM that all others inherit from. Read to its end: unzip would fail where nobody reads on.
address=$(unzip -p "$home/lib/maven-model-builder-*.jar" org/apache/maven/model/pom-4.0.0.xml |
  sed -n 's#.*<url>\(http[^<]*\)</url>.*#\1#p') || fail "$home has no model of a POM"
[ -n "$address" ] || fail "$home names no repository"
echo "${address%%$'\n'*}"
