#!/bin/sh
# A shim that reads nothing for 10 s does not slow another one on the same daemon and partition, loses
# nothing, and the daemon's memory stays bounded.
. "$(dirname "$0")/sessions.sh"

partition_settings='    credit_window: 4000'
# The slow shim's asks are stuck when its credit is spent.
credit_spent() { [ "$(field daemon.status allocations 2>/dev/null || echo 0)" -ge 4000 ]; }

# run_beside PAUSE: false if the machine was too slow for the other load to end within the pause.
run_beside() {
    start_daemon daemon
    shim shim-a --nodes 1000 --pods 30000 --node-prefix a- --pause-reads "$1s" --settle 3s
    slow=$shim
    until_true 60 log_says shim-a 'reading nothing'
    until_true 20 credit_spent
    shim shim-b --nodes 1000 --pods 20000 --node-prefix b- --settle 3s
    end_of "$shim"
    ! log_says shim-a 'reading again'
}
pause=10
until run_beside "$pause"; do
    [ "$pause" -lt 40 ] || fail "the other shim took longer than a pause of $pause s"
    kill -KILL "$slow"
    end_of "$slow"
    kill_daemon
    rm -f "$work"/daemon.* "$work"/shim-*
    pause=$((pause * 2))
done
[ "$ended" = 0 ] || fail "the other load ended with $ended"
expect shim-b.json placed 20000
expect shim-b.json lost 0
expect shim-b.json duplicates 0
checked "the other shim placed 20000 pods at $(field shim-b.json pods_per_s)/s while the slow one read nothing"
resident=$(field daemon.status resident_bytes)
[ "$resident" -lt 300000000 ] || fail "the daemon has grown to $resident bytes"
allocations=$(field daemon.status allocations)
[ "$allocations" -lt 30000 ] || fail "$allocations allocations: the slow shim's credit does not hold"
checked "the slow shim has got no more than its credit: $((allocations - 20000)) places; the daemon has $resident bytes"

end_of "$slow"
[ "$ended" = 0 ] || fail "the slow load ended with $ended"
expect shim-a.json placed 30000
expect shim-a.json lost 0
expect shim-a.json duplicates 0
expect shim-a.json resyncs 1
checked "the slow shim got all its 30000 places when it read again, on one session"
stop_daemon
expect daemon.status allocations 50000
replay_equals_the_live_run daemon

# Past the limit of what is kept for it, a shim is cut and states everything anew: it loses a quarter of
# its nodes just when it stops reading, so that 750 releases come on top of its credit.
partition_settings='    credit_window: 300
    unacknowledged_max: 600'
start_daemon limited
shim shim-a --nodes 200 --pods 6000 --nodes-lost 50 --pause-after 3000 --pause-reads 5s --settle 3s
until_true 60 log_says shim-a 'reading nothing'
until_true 30 log_says limited 'too many decisions were not acknowledged'
end_of "$shim"
[ "$ended" = 0 ] || fail "the load ended with $ended"
expect shim-a.json placed 6000
expect shim-a.json lost 0
expect shim-a.json duplicates 0
expect shim-a.json resyncs 2
checked "a shim beyond the limit was cut and resynchronised once: 6000 placed, none lost or doubled"
stop_daemon
expect limited.status allocations 6000
replay_equals_the_live_run limited
