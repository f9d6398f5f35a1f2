#!/usr/bin/env bash
# Builds what the real suite runs against: etcd, kube-apiserver, kube-controller-manager and kubectl, from the Go
# modules that go.mod beside this file pins. Builds only what is missing; a second run does nothing.
#
#   KUBEBUILDER_ASSETS    folder of the binaries; default: a folder of the pinned version in the user's cache
#   TEST_REAL_BINARIES    names to build, separated by spaces; default: all four
#   TEST_REAL_SKIP_BUILD  "1": build nothing
#   GOMAXPROCS, GOFLAGS, GOPROXY, ...: as Go itself reads them
#
# Prints one line per binary, and Go's own words only when a build fails.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
all="etcd kube-apiserver kube-controller-manager kubectl"

fail() {
  printf 'real control plane: %s\n' "$*" >&2
  exit 1
}

say() {
  printf 'real control plane: %s\n' "$*"
}

pinned() {
  awk -v module="$1" '$1 == module && $2 ~ /^v[0-9]/ { print substr($2, 2); exit }' "$here/go.mod"
}

package_of() {
  case "$1" in
    etcd) echo go.etcd.io/etcd/server/v3 ;;
    kube-apiserver | kube-controller-manager | kubectl) echo "k8s.io/kubernetes/cmd/$1" ;;
    *) fail "TEST_REAL_BINARIES names \"$1\"; known: $all" ;;
  esac
}

require_go() {
  command -v go >/dev/null || fail "go is not on PATH; install Go $needed_go or newer (https://go.dev/dl/)"
  local found
  # Run in this folder: with GOTOOLCHAIN=auto an older Go fetches the toolchain that go.mod asks for.
  found=$(cd "$here" && go env GOVERSION 2>&1) || fail "Go $needed_go or newer is needed: $found"
  found=${found#go}
  [ "$(printf '%s\n' "$needed_go" "${found%% *}" | sort -V | head -n 1)" = "$needed_go" ] ||
    fail "Go $needed_go or newer is needed, found $found"
}

# The version is stamped in, as in a release: without it, GET /version answers v0.0.0-master.
link_flags() {
  local stamp=k8s.io/component-base/version minor=${version#*.}
  echo "-s -w -X $stamp.gitVersion=v$version -X $stamp.gitMajor=${version%%.*} -X $stamp.gitMinor=${minor%%.*}"
}

build() {
  local name=$1 package started=$SECONDS
  package=$(package_of "$name")
  # A name of its own, then a rename: whoever looks finds a whole binary or none.
  local unfinished=$assets/.$name.$$ words=$assets/.$name.$$.log
  leftovers+=("$unfinished" "$words")
  if ! (cd "$here" && CGO_ENABLED=0 go build -ldflags "$(link_flags)" -o "$unfinished" "$package") >"$words" 2>&1; then
    tail -n 40 "$words" >&2
    fail "building $name ($package) failed"
  fi
  rm -f "$words"
  mv -f "$unfinished" "$assets/$name"
  say "$name built in $((SECONDS - started)) s ($(($(wc -c <"$assets/$name") / 1000000)) MB)"
}

version=$(pinned k8s.io/kubernetes)
[ -n "$version" ] || fail "$here/go.mod pins no k8s.io/kubernetes"
needed_go=$(awk '$1 == "go" { print $2; exit }' "$here/go.mod")
assets=${KUBEBUILDER_ASSETS:-${XDG_CACHE_HOME:-$HOME/.cache}/apisix-translator/kubernetes-$version}
wanted=${TEST_REAL_BINARIES:-$all}
leftovers=()
trap 'rm -f "${leftovers[@]:-}"' EXIT

if [ "${TEST_REAL_SKIP_BUILD:-}" = 1 ]; then
  say "building is switched off (TEST_REAL_SKIP_BUILD=1)"
  exit 0
fi

for name in $wanted; do
  package_of "$name" >/dev/null
done

missing() {
  for name in $wanted; do
    [ -x "$assets/$name" ] || echo "$name"
  done
}

if [ -n "$(missing)" ]; then
  require_go
  mkdir -p "$assets"
  # Two builds at once would do everything twice; the second waits and then finds the binaries.
  if command -v flock >/dev/null; then
    exec 9>"$assets/.build.lock"
    flock 9
  fi
fi

for name in $wanted; do
  if [ -x "$assets/$name" ]; then
    say "$name is there"
  else
    build "$name"
  fi
done
say "binaries in $assets"
