#!/bin/bash
# `bayplan` linked statically: made by its option, small, of nothing but itself; its answers are those of the one that is not;
# and it runs in the root of an older Debian, and where there is nothing at all. Arguments: bayplan, a folder to keep the old
# Debian and the build in. It builds for minutes: with BAYPLAN_FULL alone. BAYPLAN_STATIC names one that is made already.
set -u
bayplan=$1 kept=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
skip() { echo "skipped: $*"; exit 77; }
[ -n "${BAYPLAN_FULL:-}${BAYPLAN_STATIC:-}" ] || skip "only in a full run"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
checked() { echo "checked: $*"; }

made=${BAYPLAN_STATIC:-}
if [ -z "$made" ]; then
  [ -f "$kept/static/build.ninja" ] ||
    meson setup "$kept/static" "$top" --buildtype=release -Dstatic_cli=true >"$work/log" 2>&1 ||
    fail "not configured: $(tail -n 3 "$work/log")"
  ninja -C "$kept/static" >"$work/log" 2>&1 || fail "not built: $(grep -m 3 'error' "$work/log")"
  made=$kept/static/src/cli/bayplan
fi
size=$(stat -c %s "$made")
[ "$size" -lt 30000000 ] || fail "it has $size bytes"
! readelf -d "$made" 2>/dev/null | grep -q NEEDED || fail "it needs libraries: $(readelf -d "$made" | grep NEEDED)"
checked "$size bytes, and no library is needed"

# --- the same answers, of the same texts in both syntaxes, and of broken ones
"$top/bench/make_dump" --nodes 60 --pods 900 --indent >"$work/dump.json"
python3 -c 'import sys, json, yaml; yaml.safe_dump(json.load(open(sys.argv[1])), open(sys.argv[2], "w"))' \
  "$work/dump.json" "$work/dump.yaml"
gzip -k "$work/dump.json"
printf '%s' '{"kind":"Node","metadata":{"name":"n","labels":{"\u00e9\n":"x"}},' \
  '"status":{"allocatable":{"cpu":"0.50","pods":1E1}}}' \
  '{"kind":"Pod"}' >"$work/two.json"
head -c 40000 "$work/dump.json" >"$work/torn.json"
printf '[{"kind":"Node","metadata":{"name":"n"}}, 7, {"kind":"Pod","metadata":{"name":tru}}]' >"$work/broken.json"
printf '{"kind":"List","items":[]} x' >"$work/behind.json"
compared=0
for file in "$work"/*.json "$work"/*.yaml "$work"/*.gz; do
  for form in json csv; do
    "$bayplan" simulate "$file" -o $form >"$work/one" 2>"$work/one.err"
    one=$?
    "$made" simulate "$file" -o $form >"$work/other" 2>"$work/other.err"
    other=$?
    [ "$one" = "$other" ] || fail "${file##*/}: $one and $other: $(cat "$work/one.err" "$work/other.err")"
    # Of a short text that is torn one of them hands out what comes before the tear.
    [ "${file##*/}" = torn.json ] || cmp "$work/one" "$work/other" || fail "${file##*/}: other answers"
    # How a parser words a fault is its own.
    [ "$(grep -c . "$work/one.err")" = "$(grep -c . "$work/other.err")" ] ||
      fail "${file##*/}: $(cat "$work/one.err" "$work/other.err")"
    compared=$((compared + 1))
  done
done
checked "$compared answers are the same"

# runs_in ROOT SHELL...: a dump is judged, certificates are made, and a port is asked by the client.
runs_in() {
  local root=$1
  cp "$made" "$root/bayplan" && cp "$work/dump.json" "$root/dump.json"
  chroot "$root" /bayplan version >"$work/out" 2>&1 || fail "$root: $(cat "$work/out")"
  chroot "$root" /bayplan simulate /dump.json -o csv --quiet >"$work/inside" 2>"$work/err"
  [ $? -le 1 ] || fail "$root: $(cat "$work/err")"
  "$bayplan" simulate "$work/dump.json" -o csv --quiet >"$work/outside" 2>>"$work/err"
  cmp "$work/inside" "$work/outside" || fail "$root: another answer"
  chroot "$root" /bayplan certs /certs --host 127.0.0.1 --shim shim-a >"$work/out" 2>&1 || fail "$root: $(cat "$work/out")"
  chroot "$root" /bayplan ping 127.0.0.1:9 --ca /certs/ca.pem --cert /certs/shim-a.pem --key /certs/shim-a.key \
    --timeout 200ms >"$work/out" 2>&1
  [ $? = 3 ] || fail "$root: ping of nobody: $(cat "$work/out")"
}
[ "$(id -u)" = 0 ] || skip "the rest needs root"
mkdir -p "$work/empty/tmp"
runs_in "$work/empty"
checked "it runs where there is nothing at all"

# --- an older Debian, that of glibc 2.31
if [ ! -f "$kept/old.tar" ]; then
  command -v debootstrap >/dev/null || skip "the rest needs debootstrap"
  mkdir -p "$kept"
  debootstrap --variant=minbase bullseye "$work/old" >"$work/log" 2>&1 ||
    skip "no archive of an older Debian can be reached; it ran in an empty root"
  tar -C "$work/old" -cf "$kept/old.tar.new" . && mv "$kept/old.tar.new" "$kept/old.tar"
else
  mkdir "$work/old" && tar -C "$work/old" -xf "$kept/old.tar"
fi
runs_in "$work/old"
checked "it runs in Debian $(cat "$work/old/etc/debian_version") with $(chroot "$work/old" ldd --version | head -n 1)"
