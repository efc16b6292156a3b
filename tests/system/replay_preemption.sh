#!/bin/sh
# Live runs with preemption, under both values of preemption.compat: pods of higher priority come later and there is no
# room, victims take their grace, nodes are lost, placements refused. In a third run a DaemonSet's pods come last, one for
# each full node: nodes are reserved and victims sent away. Each record is replayed over what must not decide:
# each decision log is equal, byte for byte, to that of the live run.
. "$(dirname "$0")/sessions.sh"

# One way of executing a line: options of `bayplan replay`.
configurations() {
    cat <<'LIST'
--executor inline --path inline --workers 1 --shards 1 --batch 1 --depth 1 --victim-path plain --victim-workers 0
--executor inline --path graph --workers 1 --shards 4 --batch 16 --depth 2 --victim-path inline --victim-workers 0
--executor inline --path graph --workers 1 --shards 16 --batch 256 --depth 1 --victim-path workers --victim-workers 1
--executor threads --path graph --workers 1 --shards 4 --batch 1 --depth 2 --victim-path workers --victim-workers 3
--executor threads --path graph --workers 2 --shards 4 --batch 16 --depth 1 --victim-path automatic --victim-workers 2
--executor threads --path automatic --workers 2 --shards 16 --batch 64 --depth 2 --victim-path plain --victim-workers 0
--executor threads --path graph --workers 4 --shards 1 --batch 256 --depth 2 --victim-path inline --victim-workers 0
--executor tbb --path graph --workers 1 --shards 16 --batch 16 --depth 2 --victim-path workers --victim-workers 1
--executor tbb --path graph --workers 2 --shards 1 --batch 64 --depth 2 --victim-path workers --victim-workers 3
--executor tbb --path automatic --workers 4 --shards 4 --batch 256 --depth 1 --victim-path automatic --victim-workers 2
LIST
}

replay_as() {
    configuration=$1
    # Words are meant to be split: a line is several options.
    # shellcheck disable=SC2086
    "$bayplan" replay "$work/$run.record" $configuration --log "$work/again" >"$work/$run.out.log" 2>&1 ||
        fail "$run: no replay with $configuration"
    cmp -s "$work/$run.decisions" "$work/again" || fail "$run: other decisions with $configuration"
}

# live_run NAME KINDS LOAD_OPTION...: with $partition_settings; the decision log must have lines of each kind.
live_run() {
    run=$1
    kinds=$2
    shift 2
    port=0
    start_daemon "$run"
    shim shim-a --grace 200ms --settle 1s "$@"
    end_of "$shim"
    [ "$ended" = 0 ] || fail "the load ended with $ended"
    expect shim-a.json lost 0
    stop_daemon
    replay_equals_the_live_run "$run"
    for kind in $kinds; do
        count=$(awk -v kind="$kind" '$3 == kind' "$work/$run.decisions" | wc -l)
        [ "$count" -gt 0 ] || fail "$run had no decision of kind $kind"
        echo "$run: $count of kind $kind"
    done
    configurations >"$work/configurations"
    while read -r configuration; do
        replay_as "$configuration"
    done <"$work/configurations"
    checked "$run: $(wc -l <"$work/$run.decisions") decisions, equal in $(wc -l <"$work/configurations") replays"
}

for compat in bayplan kubernetes-1.35; do
    partition_settings="    backoff_initial: 50ms
    backoff_max: 400ms
    preemption: {compat: $compat}"
    live_run "live-$compat" "place fail nominate clear release" \
        --nodes 12 --pods 720 --classes 6 --priorities 4 --rate 500 --nack 0.02 --nodes-lost 2
done

# A plugin of the shim's is asked about every pod: its answers are in the record, so the replays need no shim.
partition_settings="    backoff_initial: 50ms
    backoff_max: 400ms"
live_run live-plugin "query deny place release" \
    --nodes 12 --pods 480 --classes 4 --rate 2000 --plugin-answers-in 2ms --plugin-refuses 0.4 --nodes-lost 1

# Each pod claims a device of its own; there are fewer devices than pods, and nodes are lost with theirs.
partition_settings="    backoff_initial: 50ms
    backoff_max: 400ms"
live_run live-claims "place fail release" \
    --nodes 12 --pods 120 --rate 2000 --device-claims 8 --churn 0.2 --nodes-lost 2
claimed=$(awk '$3 == "place" && /@claim-/' "$work/live-claims.decisions" | wc -l)
[ "$claimed" -gt 80 ] || fail "$claimed placements with devices"
checked "live-claims: $claimed placements with a device of their claim"

# Every other claim has a device when the run begins, which no pod uses: of a node that is lost it is given back, and the pod
# gets another one.
partition_settings="    backoff_initial: 50ms
    backoff_max: 400ms"
live_run live-claims-back "place fail release give_back" \
    --nodes 12 --pods 44 --rate 500 --device-claims 8 --claims-allocated 0.5 --churn 0.2 --nodes-lost 3
given_back=$(awk '$3 == "give_back"' "$work/live-claims-back.decisions" | wc -l)
expect shim-a.json claims_given_back "$given_back"
expect shim-a.json unplaced 0
awk '$3 == "give_back" { sub("^load/", "@", $NF); print $NF }' "$work/live-claims-back.decisions" >"$work/back"
again=$(awk '$3 == "place"' "$work/live-claims-back.decisions" | grep -c -w -F -f "$work/back" || true)
[ "$again" -ge "$given_back" ] || fail "$given_back claims were given back, $again got devices again"
checked "live-claims-back: $given_back claims given back, $again times with devices again"

partition_settings="    backoff_initial: 50ms
    backoff_max: 400ms
    preemption_reports: yes
    preemption_start_delay: 100ms"
live_run live-daemonset "place reserve" --nodes 12 --pods 520 --rate 2000 --daemons
"$bayplan" replay "$work/live-daemonset.record" --preemptions "$work/preemptions" >/dev/null || fail "no replay"
reports=$(wc -l <"$work/preemptions")
preemptions=$(awk '$3 == "reserve" && $6 != "-"' "$work/live-daemonset.decisions" | wc -l)
[ "$reports" -gt 0 ] && [ "$reports" = "$preemptions" ] || fail "$reports reports of $preemptions preemptions"
logged=$(grep -c 'msg="preemption" .*report=' "$work/live-daemonset.log")
[ "$logged" = "$reports" ] || fail "$logged preemptions were logged of $reports"
checked "live-daemonset: $reports preemptions, each logged, and reported by a replay"
