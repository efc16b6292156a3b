#!/bin/sh
# `bayplan admin`: orders to a running daemon through its admin socket, as operators type them; and the dump of its flight
# recorder on a signal.
. "$(dirname "$0")/sessions.sh"

profile_settings="admin_socket: $work/admin.sock
flight_recorder: $work/flight.txt"
rest_listen=127.0.0.1:0
start_daemon daemon
rest=127.0.0.1:$(sed -n 's/.*msg="rest".* port=\([0-9]*\).*/\1/p' "$work/daemon.log" | head -n 1)
probe() { curl -s -w ' %{http_code}' "http://$rest/$1" | tr -d '\n'; } # text and status

admin() { # STATUS WORDS...: its output in $work/out.
    wanted=$1
    shift
    ended=0
    "$bayplan" admin --socket "$work/admin.sock" "$@" >"$work/out" 2>"$work/err" || ended=$?
    [ "$ended" = "$wanted" ] || fail "admin $* ended with $ended, not $wanted: $(cat "$work/err")"
}
said() { grep -q -- "$1" "$work/$2" || fail "not said: $1 in: $(head -n 5 "$work/$2")"; }

[ "$(stat -c %a "$work/admin.sock")" = 660 ] || fail "the socket has mode $(stat -c %a "$work/admin.sock")"
admin 0 help
said '^forget-shim PARTITION SHIM' out
admin 0 live
said '^live$' out
admin 0 live -o json
said '^{"order":"live","answer":"live"}$' out
admin 0 status -o json
expect out order status
admin 0 ready
running() { # and its engine has applied a tick
    admin 0 status
    python3 - "$work/out" <<'END'
import json, sys
state = json.load(open(sys.argv[1]))
sys.exit(0 if state["state"] == "running" and state["stages"]["engine0"]["apply"]["count"] > 0 else 1)
END
}
until_true 30 running
admin 0 counters
said '^bayplan_stage_seconds{thread="lcore0",stage="decode",quantile="0.99"} ' out
said '^bayplan_threads_stuck 0$' out
checked "state, numbers, and whether all is well"

admin 0 drain on
admin 1 ready
said 'partition default is drained' err
[ "$(probe readyz)" = "partition default is drained 503" ] || fail "readyz of a drained daemon: $(probe readyz)"
[ "$(probe livez)" = "ok 200" ] || fail "livez of a drained daemon: $(probe livez)"
shim shim-a --nodes 100 --pods 500 --settle 60s --timeout 120s
waiting() { [ "$(field daemon.status pending)" = 500 ]; }
until_true 30 waiting
newer_status daemon
expect daemon.status placed 0
admin 0 drain off
[ "$(probe readyz)" = "ok 200" ] || fail "readyz: $(probe readyz)"
end_of "$shim"
[ "$ended" = 0 ] || fail "the load ended with $ended"
expect shim-a.json placed 500
checked "a drained daemon lets 500 pods wait, and places them after it"

until_true 10 log_says daemon 'msg="connection closed"'
admin 0 audit
said '^every law holds$' out
admin 0 forget-shim default shim-a
said 'the shim shim-a has nothing any more' out
none() { [ "$(field daemon.status nodes)" = 0 ]; }
until_true 10 none
admin 1 forget-shim default shim-b
said 'no shim .shim-b. has been here' err
admin 1 forget-shim elsewhere shim-a
admin 1 forget-shim default
checked "a shim is forgotten without its key, one that never was is not"

admin 0 flight-recorder
said "^$work/flight.txt$" out
[ "$(stat -c %a "$work/flight.txt")" = 600 ] || fail "the dump is for others too"
for ring in engine0 teller0 lcore0 main; do grep -q "^# $ring$" "$work/flight.txt" || fail "no ring of $ring"; done
grep -q ' state connection=[0-9]* number=[0-9]*$' "$work/flight.txt" || fail "no message of a shim in the dump"
grep -q ' decisions connection=[0-9]* count=[0-9]*$' "$work/flight.txt" || fail "no decisions in the dump"
rm "$work/flight.txt"
kill -USR2 "$daemon"
dumped() { [ -s "$work/flight.txt" ]; }
until_true 10 dumped
checked "the flight recorder is written when asked for, by order and by signal: $(wc -l <"$work/flight.txt") lines"

admin 0 reload
said '^read again$' out

admin 0 log-level debug
admin 0 live
until_true 10 log_says daemon 'level=debug msg="admin request" order=live'
admin 0 log-level warning
admin 1 log-level loud
admin 1 nonsense
said "there is no order 'nonsense'; see help" err
admin 1 drian on
said "did you mean .drain." err
admin 2 'a	tab'
ended=0
"$bayplan" admin --socket "$work/none.sock" live >/dev/null 2>&1 || ended=$?
[ "$ended" = 3 ] || fail "without a daemon it ends with $ended"
stop_daemon
[ ! -e "$work/admin.sock" ] || fail "the socket is left"
replay_equals_the_live_run daemon
checked "faults are told; the socket goes with the daemon; the run replays"
