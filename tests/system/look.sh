#!/bin/sh
# `bayplan top | queues | nodes | apps | events`: a running daemon as operators see it, in terminals of 80 and 160 columns, as
# JSON, and how it ends without a daemon, a partition, a token.
. "$(dirname "$0")/sessions.sh"
here=$(dirname "$0")
rest_listen=127.0.0.1:0
start_daemon daemon
rest=127.0.0.1:$(sed -n 's/.*msg="rest".* port=\([0-9]*\).*/\1/p' "$work/daemon.log" | head -n 1)

look() { # STATUS COMMAND...: its output in $work/out.
    wanted=$1
    command=$2
    shift 2
    ended=0
    "$bayplan" "$command" --address "$rest" "$@" >"$work/out" 2>"$work/err" || ended=$?
    [ "$ended" = "$wanted" ] || fail "$command $* ended with $ended, not $wanted: $(cat "$work/err")"
}
said() { grep -q -- "$1" "$work/out" || fail "not shown: $1 in: $(head -n 30 "$work/out")"; }

# A stream from the first event on, which goes on until the daemon ends.
"$bayplan" events -f --count 10000 --address "$rest" -o json >"$work/stream.out" 2>"$work/stream.err" &
stream=$!
shims="$shims $stream"

# Its pods want more than there is: some wait.
shim shim-a --nodes 3 --pods 200 --settle 120s
placed() {
    "$bayplan" nodes --address "$rest" -o json 2>/dev/null | grep -q '"allocationKey"'
}
until_true 30 placed

look 0 nodes
said '^NODE '
[ "$(wc -l <"$work/out")" = 4 ] || fail "three nodes are $(wc -l <"$work/out") lines"
look 0 nodes -o json
python3 - "$work/out" <<'END' || fail "nodes -o json is not what the daemon says"
import json, sys
nodes = json.load(open(sys.argv[1]))
assert len(nodes) == 3 and sum(len(node.get("allocations", [])) for node in nodes) > 0, nodes
END
look 0 queues
said '^root '
said '^root.default '
look 0 apps
said '^APPLICATION '
look 0 apps --state rejected
[ "$(wc -l <"$work/out")" = 1 ] || fail "rejected applications are shown, and none is"
waiting=$("$bayplan" apps --address "$rest" -o json | grep -o '"requests":\[{"allocationKey":"[^"]*"' | cut -d'"' -f6)
look 0 explain "$waiting"
said "^pod  *$waiting$"
said '^waits .*Insufficient'
look 0 explain "$waiting" -o json
said "\"allocationKey\":\"$waiting\""
look 1 explain no/such%pod
grep -q "there is no pod 'no/such%pod'" "$work/err" || fail "a pod that is not there: $(cat "$work/err")"
look 0 events --count 5
[ "$(wc -l <"$work/out")" = 5 ] || fail "five events are $(wc -l <"$work/out") lines"
look 0 top --interval 1500ms -o json
python3 - "$work/out" <<'END' || fail "top -o json: $(cat "$work/out")"
import json, sys
first, second = (json.loads(line) for line in open(sys.argv[1]))
assert first["tried_per_second"] is None and second["tried_per_second"] >= 0, second
assert second["nodes"] == 3 and second["allocations"] > 0 and second["queues"]["queuename"] == "root", second
END
look 0 top --interval 1500ms
said '^pods .* placed'
said '^decisions  [0-9]*/s tried'
checked "tables and JSON of a daemon at work"

# --- in terminals: no line is wider, the wider one has more columns, and nothing is lost where there is room.
for columns in 80 160; do
    for command in top queues nodes apps; do
        set -- "$command" --address "$rest"
        [ "$command" = top ] && set -- "$@" --count 2 --interval 50ms
        python3 "$here/in_terminal.py" "$columns" 24 "$bayplan" "$@" >"$work/$command.$columns.log" ||
            fail "$command in a terminal ended with $?"
        python3 - "$work/$command.$columns.log" "$columns" <<'END' || fail "$command does not fit $columns columns"
import re, sys
text = re.sub("\x1b\\[[0-9]*[A-Z]", "", open(sys.argv[1]).read())
widest = max(len(line) for line in text.split("\n"))
assert 20 < widest <= int(sys.argv[2]), (widest, text)
END
    done
done
grep -q CAPACITY "$work/nodes.160.log" || fail "160 columns have no room for CAPACITY: $(cat "$work/nodes.160.log")"
grep -q CAPACITY "$work/nodes.80.log" && fail "80 columns have room for CAPACITY"
grep -c '^NODE' "$work/nodes.80.log" >/dev/null || fail "80 columns show no nodes"
grep -q 'daemon  ' "$work/top.80.log" || fail "top shows nothing of the daemon"
printf '\033[H' | head -c 3 >"$work/home"
[ "$(grep -c -F -f "$work/home" "$work/top.80.log")" -ge 2 ] || fail "top does not show itself anew"
grep -q 'nodes are available' "$work/apps.160.log" || fail "no reason is shown: $(cat "$work/apps.160.log")"
checked "terminals of 80 and 160 columns are filled and not exceeded"

# --- faults
look 2 nodes --partition none
grep -q 'says 404: Partition not found' "$work/err" || fail "no clear word: $(cat "$work/err")"
look 2 nodes -o yaml
look 2 events --count 0
look 2 queues --token-file "$work/none"
good=$rest
rest=nonsense look 2 nodes
rest=$good
kill -TERM "$shim"
end_of "$shim"
stop_daemon
end_of "$stream"
[ "$ended" = 0 ] || fail "a stream that the daemon ends ends with $ended: $(cat "$work/stream.err")"
python3 - "$work/stream.out" <<'END' || fail "the stream has not what happened"
import json, sys
events = [json.loads(line) for line in open(sys.argv[1])]
assert any(event["type"] == 3 and event.get("eventChangeDetail") == 303 for event in events), events[:5]
END
for command in top queues nodes apps events; do
    look 3 "$command"
    grep -q "no answer from $rest: Connection refused" "$work/err" || fail "no clear word: $(cat "$work/err")"
done
checked "faults have clear words and the documented status"
