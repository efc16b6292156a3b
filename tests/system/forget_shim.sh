#!/bin/sh
# A shim dies in the middle of its statement and does not come back: the partition waits for it, other shims' pods
# included, until an operator says in its place that it has nothing (or the deadline is over: resync_deadline.sh).
. "$(dirname "$0")/sessions.sh"

forget() { # NAME OPTIONS...
    name=$1
    shift
    ended=0
    "$bayplan" forget-shim "127.0.0.1:$port" --ca "$work/certs/ca.pem" --cert "$work/certs/$name.pem" \
        --key "$work/certs/$name.key" --partition default "$@" >"$work/forget.log" 2>&1 || ended=$?
}
nodes() { field daemon.status nodes; }

partition_settings='    resync_deadline: 10m'
start_daemon daemon
# More nodes than can be stated before the shim is killed.
shim shim-a --nodes 400000 --pods 1 --node-prefix a-
until_true 60 log_says daemon "msg=\"all wait for a shim's statement\""
kill -KILL "$shim"
end_of "$shim"
until_true 30 log_says daemon 'msg="connection closed"'
[ "$(nodes)" -lt 400000 ] || fail "the statement was over before the shim was"

shim shim-b --nodes 100 --pods 2000 --node-prefix b- --settle 60s --timeout 120s
stated() { [ "$(field daemon.status pending)" -gt 0 ]; }
until_true 30 stated
newer_status daemon
expect daemon.status placed 0
kill -0 "$shim" || fail "the other shim's load is over"
checked "the other shim's pods wait: $(field daemon.status pending) pending, none placed"

forget outsider
[ "$ended" = 3 ] || fail "forget-shim of an outsider ended with $ended"
expect daemon.status placed 0
forget shim-a
[ "$ended" = 0 ] || { cat "$work/forget.log"; fail "forget-shim ended with $ended"; }
checked "$(cat "$work/forget.log")"
forget shim-a -o json
expect forget.log forgotten True
end_of "$shim"
[ "$ended" = 0 ] || fail "the load ended with $ended"
expect shim-b.json placed 2000
expect shim-b.json lost 0
expect shim-b.json resyncs 1
only_its_nodes() { [ "$(nodes)" = 100 ]; }
until_true 10 only_its_nodes
checked "then all are placed; the forgotten shim's nodes are gone"
stop_daemon
replay_equals_the_live_run daemon
