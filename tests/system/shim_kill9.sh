#!/bin/sh
# kill -9 of the shim, several times: each new instance states what its journal holds, written before it
# was acknowledged, and goes on. No ask lost, none doubled.
. "$(dirname "$0")/sessions.sh"

start_daemon daemon
load="--nodes 500 --pods 6000 --classes 50 --rate 3000 --churn 0.1 --settle 12s"
for size in 20000 60000 100000; do
    # shellcheck disable=SC2086
    shim shim-a $load --journal "$work/journal"
    until_true 60 journal_longer_than "$size"
    kill -KILL "$shim"
    end_of "$shim"
    [ "$ended" = 137 ] || fail "the shim ended with $ended before it was killed"
done
checked "killed three times, with $(wc -c <"$work/journal") bytes in the journal"
# shellcheck disable=SC2086
shim shim-a $load --journal "$work/journal"
end_of "$shim"
[ "$ended" = 0 ] || fail "the last instance ended with $ended"
expect shim-a.json placed 6000
expect shim-a.json lost 0
expect shim-a.json pending 0
expect shim-a.json duplicates 0
restored=$(field shim-a.json restored)
[ "$restored" -gt 1000 ] || fail "only $restored places came from the journal"
checked "the last instance took $restored places from the journal and got the rest: 6000 placed, none lost or doubled"
stop_daemon
expect daemon.status allocations 6000
checked "the daemon has 6000 allocations: each pod stands exactly once"
replay_equals_the_live_run daemon

# A tail torn by the kill costs nothing: what was cut off had not been acknowledged.
printf 'torn' >>"$work/journal"
start_daemon again
# shellcheck disable=SC2086
shim shim-a $load --journal "$work/journal"
end_of "$shim"
[ "$ended" = 0 ] || fail "with a torn tail the load ended with $ended"
log_says shim-a '4 torn bytes cut off' || fail "the torn tail was not told"
expect shim-a.json restored 6000
expect shim-a.json allocations 0
checked "a torn tail is cut off and told; all 6000 places stand"
stop_daemon
