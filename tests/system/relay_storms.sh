#!/bin/sh
# 30 % loss for 5 s and a blackout of 3 s in the middle of a load, over a network that is bad anyway: it
# recovers, and resumes where the silence has ended the connection. Nothing lost or doubled.
. "$(dirname "$0")/relay_runs.sh"

# storms NAME: 30 % loss for 5 s, then 3 s of nothing, in the middle of a load.
storms() {
    until_true 60 journal_of_run_longer_than 20000
    storm 0.3 5000
    until_true 60 storms_over 1
    storm 1 3000
    until_true 60 storms_over 2
    kill -0 "$shim" 2>/dev/null || fail "the load was over before the storms were"
    finish_run
}
journal_of_run_longer_than() {
    [ -f "$work/$run_name.journal" ] && [ "$(wc -c <"$work/$run_name.journal")" -gt "$1" ]
}

# Open-loop at a rate that keeps the load going until after the storms, whatever the machine.
stormy_load="--nodes 500 --pods 15000 --classes 20 --rate 1000 --settle 1s"
# shellcheck disable=SC2086
run stormy --seed 4 $bad_network -- $stormy_load
storms
expect shim-a.json resumes 0
expect shim-a.json placed 15000
checked "30 % loss for 5 s and a blackout of 3 s: all 15000 placed over one connection"

plane_settings='  idle_timeout: 1s'
# shellcheck disable=SC2086
run silent --seed 5 $bad_network -- $stormy_load --idle-timeout 1s
storms
[ "$(field shim-a.json resumes)" -ge 1 ] || fail "the blackout did not end the connection"
expect shim-a.json placed 15000
same_places stormy silent
checked "the same with an idle timeout of 1 s: $(field shim-a.json resumes) resumes, the same placements"
