#!/bin/sh
# Dashboard and alert rules against the names that a daemon at work exports; by promtool too, where it is installed.
. "$(dirname "$0")/sessions.sh"
here=$(dirname "$0")
rest_listen=127.0.0.1:0
start_daemon daemon
rest=127.0.0.1:$(sed -n 's/.*msg="rest".* port=\([0-9]*\).*/\1/p' "$work/daemon.log" | head -n 1)
shim shim-a --nodes 3 --pods 200 --settle 120s
scrape() { curl -sf "http://$rest/ws/v1/metrics" -o "$work/metrics"; }
at_work() { scrape && grep -q '^bayplan_engine_allocations{partition="default"} [1-9]' "$work/metrics"; }
until_true 30 at_work

grafana=$here/../../tuning/grafana
"$here/check_dashboards.py" "$work/metrics" "$grafana/bayplan.json" "$grafana/alerts.yaml" || fail "names do not fit"
# The check itself sees a name that is gone, and one that is misspelt.
grep -v '^bayplan_inbox_fill_ratio' "$work/metrics" >"$work/fewer"
"$here/check_dashboards.py" "$work/fewer" "$grafana/bayplan.json" "$grafana/alerts.yaml" >"$work/faults" &&
    fail "a name that nobody exports is not seen"
[ "$(grep -c 'nobody exports bayplan_inbox_fill_ratio' "$work/faults")" = 2 ] || fail "not both uses: $(cat "$work/faults")"
checked "every name in dashboard and alerts is exported: $(grep -vc '^#' "$work/metrics") samples"

if command -v promtool >/dev/null; then
    promtool check rules "$grafana/alerts.yaml" >"$work/promtool.log" 2>&1 || fail "promtool: $(cat "$work/promtool.log")"
    # It has opinions on names that are YuniKorn's; of our own but one, whose days are what people want to know.
    promtool check metrics <"$work/metrics" >"$work/promtool.log" 2>&1
    grep -v '^yunikorn_\|^bayplan_certificate_days_left ' "$work/promtool.log" && fail "promtool finds fault with the metrics"
    grep -q '^yunikorn_' "$work/promtool.log" || fail "promtool does not look"
    checked "promtool finds no fault with rules and metrics"
else
    echo "skipped: promtool is not installed (package prometheus)"
fi
kill -TERM "$shim"
end_of "$shim"
stop_daemon
