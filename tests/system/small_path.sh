#!/bin/sh
# A path that takes packets of 1300 bytes at most, and says so to nobody. Every pod is placed all the same, over one
# connection, and the daemon's log says how to set it right. Set right, nothing is swallowed.
. "$(dirname "$0")/relay_runs.sh"

# many: pods whose asks, and whose places, fill packets in both directions.
many="--nodes 200 --pods 7000 --classes 7000 --batch 500"

# shellcheck disable=SC2086
run unknown --mtu 1300 -- $many
end_of "$shim"
[ "$ended" = 0 ] || fail "the load ended with $ended"
expect shim-a.json placed 7000
expect shim-a.json lost 0
expect shim-a.json resumes 0
newer_status unknown-daemon
[ "$(counter unknown-daemon.status paths_too_small)" = 1 ] || fail "the daemon did not find it out"
log_says unknown-daemon 'packets of more than 1200 bytes do not reach .*payload_bytes_max, 1452, is more than the path takes' ||
    fail "the log does not say so"
stop_daemon
stop_relay
[ "$(relay_sum too_long)" -gt 0 ] || fail "no packet was too long"
checked "7000 pods over a path of 1300 bytes, which swallowed $(relay_sum too_long) packets, and a line of the log"

plane_settings='  payload_bytes_max: 1272'
# shellcheck disable=SC2086
run known --mtu 1300 -- $many --payload-bytes-max 1272
end_of "$shim"
[ "$ended" = 0 ] || fail "the load ended with $ended"
expect shim-a.json placed 7000
expect shim-a.json lost 0
stop_daemon
stop_relay
[ "$(counter known-daemon.status paths_too_small)" = 0 ] || fail "a path that takes all packets was taken for a small one"
[ "$(relay_sum too_long)" = 0 ] || fail "$(relay_sum too_long) packets were too long"
checked "7000 pods with payload_bytes_max on both sides"
