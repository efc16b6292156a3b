#!/bin/sh
# The report says how many cores the daemon used during the run, from the CPU clock of the process that its
# status file names; and does not, if that process cannot be the daemon.
. "$(dirname "$0")/sessions.sh"

start_daemon first
until_true 20 test -s "$work/first.status"
shim shim-a --nodes 500 --pods 10000 --rate 20000 --daemon-status "$work/first.status"
end_of "$shim"
[ "$ended" = 0 ] || fail "the load ended with $ended"
expect shim-a.json placed 10000
expect shim-a.json cores_include_shim False
expect shim-a.json cpus_allowed "$(nproc)"
cores=$(field shim-a.json cores)
# A clock of another process is read to a tick of the scheduler, so a little more than all is possible.
awk -v cores="$cores" -v all="$(nproc)" 'BEGIN { exit !(cores > 0 && cores <= all + 0.5) }' ||
    fail "the daemon used $cores cores of $(nproc)"
grep -q "cores used [0-9.]* of $(nproc), the shim [0-9.]* (by role: any)" "$work/shim-a.log" ||
    fail "no cores in the report for people"
checked "the daemon used $cores cores of $(nproc)"

# The number of a process that has used less than the daemon had: the daemon is gone, the number taken again.
sleep 1000 &
stranger=$!
shims="$shims $stranger"
sed "s/\"pid\":[0-9]*/\"pid\":$stranger/" "$work/first.status" >"$work/other.status"
shim shim-b --nodes 10 --node-prefix b- --pods 100 --daemon-status "$work/other.status"
end_of "$shim"
[ "$ended" = 0 ] || fail "the second load ended with $ended"
expect shim-b.json cores None
checked "the CPU time of another process is not taken for the daemon's"
stop_daemon
