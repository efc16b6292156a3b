#!/bin/sh
# Live runs with preemption, under both values of preemption.compat: pods of higher priority come later and there is no
# room, victims take their grace, nodes are lost, placements refused. Each record is replayed over what must not decide:
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

for compat in bayplan kubernetes-1.35; do
    run=live-$compat
    partition_settings="    backoff_initial: 50ms
    backoff_max: 400ms
    preemption: {compat: $compat}"
    port=0
    start_daemon "$run"
    shim shim-a --nodes 12 --pods 720 --classes 6 --priorities 4 --rate 500 --grace 200ms --nack 0.02 --nodes-lost 2 \
        --settle 1s
    end_of "$shim"
    [ "$ended" = 0 ] || fail "the load ended with $ended"
    expect shim-a.json lost 0
    stop_daemon
    replay_equals_the_live_run "$run"
    for kind in place fail nominate clear release; do
        count=$(awk -v kind="$kind" '$3 == kind' "$work/$run.decisions" | wc -l)
        [ "$count" -gt 0 ] || fail "$run had no decision of kind $kind"
        echo "$run: $count of kind $kind"
    done
    configurations >"$work/configurations"
    while read -r configuration; do
        replay_as "$configuration"
    done <"$work/configurations"
    checked "$run: $(wc -l <"$work/$run.decisions") decisions, equal in $(wc -l <"$work/configurations") replays"
done
