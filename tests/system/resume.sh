#!/bin/sh
# A connection that is cut in mid-run is resumed: no ask lost, none doubled. Cut by the shim five times,
# and once by the daemon, which hears nothing from a stopped shim.
. "$(dirname "$0")/sessions.sh"

plane_settings='  idle_timeout: 1s'
start_daemon daemon
shim shim-a --nodes 500 --pods 6000 --classes 50 --rate 2000 --journal "$work/journal" \
    --cut-after 500 --cuts 5 --settle 2s
# Its five cuts are behind it: stopped between a cut and the next connection, it would have none that falls silent.
connected_six_times() { [ "$(grep -c 'msg="shim connected"' "$work/daemon.log")" = 6 ]; }
until_true 60 connected_six_times
kill -STOP "$shim"
closed_by_silence() { grep 'msg="connection closed"' "$work/daemon.log" | grep -qi 'idle\|time'; }
until_true 30 closed_by_silence
kill -CONT "$shim"
end_of "$shim"
[ "$ended" = 0 ] || fail "the load ended with $ended"
expect shim-a.json placed 6000
expect shim-a.json unplaced 0
expect shim-a.json pending 0
expect shim-a.json lost 0
expect shim-a.json duplicates 0
expect shim-a.json resyncs 1
resumes=$(field shim-a.json resumes)
[ "$resumes" -ge 6 ] || fail "resumed $resumes times, not 6"
checked "6000 pods placed over $resumes resumed connections (5 cut by the shim, 1 by silence), none lost or doubled"
stop_daemon
expect daemon.status placed 6000
expect daemon.status allocations 6000
checked "the daemon placed 6000 and has 6000 allocations"
replay_equals_the_live_run daemon
keys_placed daemon | sort | uniq -d | grep -q . && fail "a key was placed twice"
checked "every key is placed once in the decision log"
