#!/bin/sh
# What cannot be printed is told and fails, however little or much it is: usage: unwritten_output.sh BAYPLAN
set -u
bayplan=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/bayplan-output.XXXXXX")
trap 'rm -rf "$work"' EXIT

for words in "version" "--help" "tune" "load --list" "bench --list"; do
    # shellcheck disable=SC2086
    "$bayplan" $words >"$work/out" 2>&1 || { echo "bayplan $words: exit status $?"; cat "$work/out"; exit 1; }
    # shellcheck disable=SC2086
    "$bayplan" $words >/dev/full 2>"$work/err"
    status=$?
    [ $status = 2 ] || { echo "bayplan $words: exit status $status with a full disk"; exit 1; }
    grep -q "No space left on device" "$work/err" || { echo "bayplan $words says:"; cat "$work/err"; exit 1; }
done
