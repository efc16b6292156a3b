#!/bin/sh
# A load over a network that loses 5 %, reorders 5 %, duplicates 1 %, corrupts 0.1 % and delays each frame by
# 0 to 5 ms ends with the acknowledged placements of a run over a good one: the same pods on the same nodes,
# none lost or doubled; three seeds.
# The load is the openb trace where there is one (tests/support/beside), and always a generated one.
# BAYPLAN_FULL=1: a larger one.
. "$(dirname "$0")/relay_runs.sh"

# every_fault_happened: a test over a network that was good by accident would show nothing.
every_fault_happened() {
    for fault in dropped reordered duplicated; do
        [ "$(relay_sum $fault)" -gt 0 ] || fail "the relay has $fault nothing"
    done
    [ "$(relay_sum uncut_runs)" = 0 ] || fail "runs of packets reached the relay uncut"
}

# compare NAME LOAD-OPTIONS...: one run over a good network, one per seed over a bad one.
compare() {
    load=$1
    shift
    run "$load-good" -- "$@"
    finish_run
    [ "$(relay_sum dropped)" = 0 ] || fail "the good network has dropped something"
    corrupted=0
    for seed in 1 2 3; do
        # shellcheck disable=SC2086
        run "$load-$seed" --seed $seed $bad_network -- "$@"
        finish_run
        same_places "$load-good" "$load-$seed"
        every_fault_happened
        corrupted=$((corrupted + $(relay_sum corrupted)))
        checked "$load, seed $seed: the same $count placements over $(relay_sum seen) frames," \
            "$(relay_sum dropped) lost, $(relay_sum reordered) reordered, $(relay_sum duplicated) doubled," \
            "$(relay_sum corrupted) corrupted; $(field shim-a.json resumes) resumes"
    done
    [ "$corrupted" -gt 0 ] || fail "no frame was corrupted with any seed"
}

nodes=500 pods=10000 rate=8000
[ -z "${BAYPLAN_FULL:-}" ] || nodes=2000 pods=60000 rate=6000
compare generated --nodes $nodes --pods $pods --classes 20 --rate $rate --settle 1s

if traces=$("$(dirname "$0")/../support/beside" traces); then
    compare openb --openb "$traces/openb_node_list_all_node.csv" "$traces/openb_pod_list_default.csv" --settle 1s
else
    echo "the openb trace: $traces"
fi
