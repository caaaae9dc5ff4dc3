#!/bin/sh
# build.sh VERSION FILE: builds the oracle against one version of Kubernetes' libraries, such as v0.36.3.
set -eu
version=$1
case $2 in /*) file=$2 ;; *) file=$PWD/$2 ;; esac
go=${GO:-go}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/main.go" "$work"
cd "$work"
"$go" mod init claimsmith/tests/oracle
"$go" get "k8s.io/dynamic-resource-allocation/cel@$version" \
  "k8s.io/apiserver/pkg/cel/environment@$version" "k8s.io/api/resource/v1@$version"
"$go" build -mod=mod -o "$file" .
