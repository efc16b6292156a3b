#!/bin/sh
# Clients of REST that mean harm (rest_storm.py: slow heads, streams that read nothing, endless bodies, 10,000 connections) beside
# a load: every pod is placed, the daemon never counts itself unwell, and it answers its operators after it.
. "$(dirname "$0")/sessions.sh"
here=$(dirname "$0")
rest_listen=127.0.0.1:0
start_daemon daemon
rest=127.0.0.1:$(sed -n 's/.*msg="rest".* port=\([0-9]*\).*/\1/p' "$work/daemon.log" | head -n 1)
python3 "$here/rest_storm.py" "$rest" 12 >"$work/storm.log" 2>&1 &
storm=$!
shims="$shims $storm"
begun() { log_says storm '^storm of '; }
until_true 60 begun
shim shim-a --nodes 100 --pods 3000 --settle 60s --timeout 120s
end_of "$shim"
[ "$ended" = 0 ] || fail "the load ended with $ended"
expect shim-a.json placed 3000
kill -0 "$storm" 2>/dev/null || echo "(the storm was over before the load)"
end_of "$storm"
[ "$ended" = 0 ] || fail "the storm ended with $ended: $(tail -n 5 "$work/storm.log")"
checked "3,000 pods placed beside $(head -n 1 "$work/storm.log")"

python3 - "$work/storm.log" <<'END' || fail "the storm was let in: $(cat "$work/storm.log")"
import json, sys
kinds = json.loads(open(sys.argv[1]).read().splitlines()[-1])
assert kinds["slow"]["made"] == 100 and kinds["stream"]["made"] == 200 and kinds["large"]["made"] == 20, kinds
# A slow head is cut after ten seconds; a body of a gigabyte is refused by its head.
assert kinds["slow"]["ended"] == 100 and kinds["large"]["ended"] == 20, kinds
assert kinds["idle"]["ended"] > kinds["idle"]["made"] - 1100, kinds
END
answers() { curl -sf -m 5 "http://$rest/ws/v1/metrics" -o "$work/metrics"; }
until_true 30 answers
refused=$(sed -n 's/^bayplan_rest_refused_total{of="all"} //p' "$work/metrics")
[ "${refused:-0}" -gt 0 ] || fail "no connection was refused"
grep -q '^bayplan_threads_stuck 0$' "$work/metrics" || fail "a thread stood still"
[ "$(curl -s -m 5 "http://$rest/readyz")" = ok ] || fail "not ready: $(curl -s -m 5 "http://$rest/readyz")"
checked "slow and oversized clients are cut, $refused connections refused, operators are answered after it"
stop_daemon
