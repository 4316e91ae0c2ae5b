#!/usr/bin/env bash
# Assembles a small OpenSearch or Elasticsearch server out of Maven artifacts, for tests/engines.
#
#   scripts/engines/install.sh opensearch [VERSION]      (2.19.1: Java 17; 3.x: Java 21)
#   scripts/engines/install.sh elasticsearch [VERSION]   (8.19.4: Java 17)
#
# The server goes to $BERT_QE_ENGINES/NAME-VERSION (default ../peers/engines beside the checkout). Needs Maven and
# unzip. OpenSearch's integration-test zip holds the bare server: text analysis and the Painless language come as
# jars, and get here the descriptors that make them modules.
set -euo pipefail
kind=${1:?opensearch or elasticsearch}
here=$(cd "$(dirname "$0")" && pwd)
target=${BERT_QE_ENGINES:-$(cd "$here/../../.." && pwd)/peers/engines}
copy=org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy
resolve=org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
final=$target
target=$scratch/assembled # moved when it is whole: half a server must not be taken for one
mkdir -p "$target" "$final"

fetch_zip() { # GROUP ARTIFACT VERSION
  (cd "$scratch" && mvn -q -B "$copy" -Dartifact="$1:$2:$3:zip" -DoutputDirectory="$scratch")
  unzip -q -o "$scratch/$2-$3.zip" -d "$target"
}

# A module: the jar, what it depends on, and a descriptor.
opensearch_module() { # SERVER VERSION NAME PLUGIN_CLASS_PATTERN EXTENDS
  local server=$1 version=$2 name=$3 pattern=$4 extends=$5 folder=$1/modules/$3 class
  mkdir -p "$folder" "$scratch/$name"
  cat >"$scratch/$name/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>local</groupId><artifactId>modules</artifactId><version>1</version><dependencies><dependency>
<groupId>org.opensearch.plugin</groupId><artifactId>$name</artifactId><version>$version</version>
</dependency></dependencies></project>
POM
  (cd "$scratch/$name" && mvn -q -B "$resolve" -DincludeScope=runtime -DoutputDirectory="$folder")
  # What the server itself brings along must not be there twice.
  for jar in "$folder"/*.jar; do
    if [ -e "$server/lib/$(basename "$jar")" ]; then rm "$jar"; fi
  done
  # Versions name the class differently.
  class=$(unzip -Z1 "$folder/$name-$version.jar" | grep -E -m1 "^$pattern\.class$" | sed 's/\.class$//; s#/#.#g')
  cat >"$folder/plugin-descriptor.properties" <<DESCRIPTOR
name=$name
description=$name
version=$version
opensearch.version=$version
java.version=1.8
classname=$class
extended.plugins=$extends
has.native.controller=false
DESCRIPTOR
}

case $kind in
  opensearch)
    version=${2:-2.19.1}
    server=$target/opensearch-$version
    fetch_zip org.opensearch.distribution.integ-test-zip opensearch "$version"
    opensearch_module "$server" "$version" lang-painless 'org/opensearch/painless/Painless\w*Plugin' ""
    opensearch_module "$server" "$version" analysis-common \
      'org/opensearch/analysis/common/CommonAnalysis\w*Plugin' lang-painless
    cat >"$server/modules/lang-painless/plugin-security.policy" <<'POLICY'
grant {
  permission java.lang.RuntimePermission "createClassLoader";
  permission java.lang.RuntimePermission "getClassLoader";
};
POLICY
    ;;
  elasticsearch)
    version=${2:-8.19.4}
    server=$target/elasticsearch-$version
    fetch_zip org.elasticsearch.distribution.integ-test-zip elasticsearch "$version"
    ;;
  *)
    echo "install.sh: $kind is neither opensearch nor elasticsearch" >&2
    exit 2
    ;;
esac
rm -rf "$final/$(basename "$server")"
mv "$server" "$final/"
echo "$final/$(basename "$server")"
