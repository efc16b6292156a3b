#!/bin/sh
# `make` makes recordings of today's build, and they replay to their digests: one of each of its ways.
# Arguments: MAKE BUILD-DIRECTORY RECORDINGS-TEST
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" "$2" "$2" "$work" load_loses_nodes live_crowd_3 direct_crowd_3
BAYPLAN_RECORDINGS=$work "$3" --gtest_filter='*decides_what_it_decided_then*'
