#!/usr/bin/env bash
# Assembles a small OpenSearch or Elasticsearch server out of Maven artifacts, for tests/engines.
#
#   scripts/engines/install.sh opensearch [VERSION]      (2.19.1: Java 17; 3.x: Java 21)
#   scripts/engines/install.sh elasticsearch [VERSION]   (8.19.4: Java 17)
#
# The server goes to $BERT_QE_ENGINES/NAME-VERSION (default ../peers/engines beside the checkout). Needs curl, unzip, and
# Maven for its repository's address (or MAVEN_REPOSITORY).
# OpenSearch's integration-test zip holds the bare server: text analysis and the Painless language come as jars, and
# get here the descriptors that make them modules. Elasticsearch's has none of its modules, and they are not published.
set -euo pipefail
kind=${1:?opensearch or elasticsearch}
here=$(cd "$(dirname "$0")" && pwd)
target=${BERT_QE_ENGINES:-$(cd "$here/../../.." && pwd)/peers/engines}
maven=$(bash "$here/../maven-repository.sh")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
final=$target
target=$scratch/assembled # moved when it is whole: half a server must not be taken for one
mkdir -p "$target" "$final"

# Fetches a file as it was published, by its SHA-1.
fetch() { # GROUP ARTIFACT VERSION EXTENSION FOLDER
  local name=$2-$3.$4 url
  url=$maven/$(tr . / <<<"$1")/$2/$3/$name
  curl -fsSL --retry 5 --retry-all-errors --connect-timeout 20 --max-time 900 -o "$5/$name" "$url"
  local published
  published=$(curl -fsSL --retry 5 --retry-all-errors --connect-timeout 20 --max-time 60 "$url.sha1")
  echo "${published:0:40}  $5/$name" | sha1sum --check --quiet
}

fetch_zip() { # GROUP ARTIFACT VERSION
  fetch "$1" "$2" "$3" zip "$scratch"
  unzip -q -o "$scratch/$2-$3.zip" -d "$target"
}

# "group artifact version" of what an artifact needs when it runs: these POMs name all of it, one element a line.
dependencies() { # POM
  awk -F '[<>]' '
    $2 == "dependency" { inside = 1; delete value }
    $2 == "exclusions" { inside = 0 }
    $2 == "/exclusions" { inside = 1 }
    inside { value[$2] = $3 }
    $2 == "/dependency" {
      inside = 0
      if (value["scope"] ~ /^(compile|runtime)$/) print value["groupId"], value["artifactId"], value["version"]
    }' "$1"
}

# A module: the jar, what it depends on, and a descriptor.
opensearch_module() { # SERVER VERSION NAME PLUGIN_CLASS_PATTERN EXTENDS
  local server=$1 version=$2 name=$3 pattern=$4 extends=$5 folder=$1/modules/$3 class group artifact number
  mkdir -p "$folder"
  fetch org.opensearch.plugin "$name" "$version" jar "$folder"
  fetch org.opensearch.plugin "$name" "$version" pom "$scratch"
  while read -r group artifact number; do
    fetch "$group" "$artifact" "$number" jar "$folder"
  done < <(dependencies "$scratch/$name-$version.pom")
  # What the server itself brings along must not be there twice.
  for jar in "$folder"/*.jar; do
    if [ -e "$server/lib/$(basename "$jar")" ]; then rm "$jar"; fi
  done
  # Versions name the class differently. The list is read to its end: unzip would fail where nobody reads on.
  class=$(unzip -Z1 "$folder/$name-$version.jar" | sed -nE "s#^($pattern)\.class\$#\1#p" | tr / .)
  class=${class%%$'\n'*}
  if [ -z "$class" ]; then
    echo "install.sh: $name-$version.jar has no class like $pattern" >&2
    return 1
  fi
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
