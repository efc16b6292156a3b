#!/bin/sh
# A shim dies in the middle of its statement and does not come back: the partition waits for it until the deadline, with the
# shim's name in log and status, and goes on then.
. "$(dirname "$0")/sessions.sh"

# What the status says of shims that state themselves anew, as NAME=HOLDS.
resyncs() {
    python3 -c 'import json, sys
for one in json.load(open(sys.argv[1]))["partitions"][0]["resyncs"]: print(one["shim"] + "=" + str(one["holds"]))' \
        "$work/daemon.status"
}
resyncs_are() { [ "$(resyncs)" = "$1" ]; }

partition_settings='    resync_deadline: 5s'
start_daemon daemon
# More nodes than can be stated before the shim is killed.
shim shim-a --nodes 400000 --pods 1 --node-prefix a-
until_true 60 log_says daemon "msg=\"all wait for a shim's statement\".* shim=shim-a"
kill -KILL "$shim"
end_of "$shim"
until_true 5 resyncs_are shim-a=True
expect daemon.status resyncs_holding 1
checked "log and status name the shim for which all wait"

shim shim-b --nodes 100 --pods 2000 --node-prefix b- --settle 60s --timeout 120s
until_true 30 log_says daemon "msg=\"a shim's statement is overdue.* shim=shim-a"
end_of "$shim"
[ "$ended" = 0 ] || fail "the load ended with $ended"
expect shim-b.json placed 2000
expect shim-b.json lost 0
until_true 5 resyncs_are shim-a=False
expect daemon.status resyncs_holding 0
expect daemon.status resyncs_overdue 1
checked "the other shim's pods are placed after the deadline, the statement is open still"
stop_daemon
replay_equals_the_live_run daemon
