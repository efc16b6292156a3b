#!/bin/sh
# Preemption wire to wire: pods of higher priority come later and there is no room. Victims are told to go, take their grace,
# are gone, and are asked for anew; the connection is cut in between. Nothing lost, doubled, or on a node too many.
. "$(dirname "$0")/sessions.sh"

start_daemon daemon
shim shim-a --nodes 20 --pods 1200 --priorities 3 --rate 600 --grace 300ms --cut-after 300 --cuts 3 --journal "$work/journal"
wait "$shim" || fail "the load ended with $?"
expect shim-a.json placed 800
expect shim-a.json unplaced 400
expect shim-a.json lost 0
expect shim-a.json pending 0
expect shim-a.json duplicates 0
expect shim-a.json overcommitted '[]'
preempted=$(field shim-a.json preempted)
renewed=$(field shim-a.json renewed)
# Of 400 pods of each of three priorities the two higher ones have places in the end.
[ "$preempted" -ge 100 ] || fail "only $preempted pods were preempted"
[ "$renewed" -ge "$preempted" ] || fail "$preempted victims, but $renewed pods were asked for anew"
nominations=$(field shim-a.json nominations)
checked "$preempted victims of $nominations nominations went and were asked for anew; 3 cuts; none lost or doubled"
