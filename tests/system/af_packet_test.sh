#!/bin/sh
# af_packet_test.sh HELPER HOST TEST: runs HOST (the DPDK port) in one network namespace and TEST (a kernel
# host) in another, with a veth between them. Exit 77: namespaces are not allowed here.
set -eu
. "$1"
veth_netns_enter "$0" "$@" || { echo "skipped: $VETH_WHY_NOT"; exit 77; }
# Those of tests/dataplane/l2l3_frames.h.
VETH_A_MAC=02:00:00:00:00:02
VETH_B_MAC=02:00:00:00:00:01
veth_netns_make || { echo "skipped: $VETH_WHY_NOT"; exit 77; }
command -v ping >/dev/null || { echo "no ping: install iputils-ping"; exit 1; }

work=$(mktemp -d)
host=
finish() {
    status=$?
    [ -z "$host" ] || kill "$host" 2>/dev/null || :
    veth_netns_cleanup
    rm -rf "$work"
    exit "$status"
}
trap finish EXIT

mkfifo "$work/ready"
# shellcheck disable=SC2086
$VETH_A "$2" "$VETH_A_IF" "$VETH_A_IP" >"$work/ready" &
host=$!
read -r line <"$work/ready" || line="(it ended)"
[ "$line" = ready ] || { echo "the DPDK port did not start: $line"; exit 1; }

# shellcheck disable=SC2086
AF_PACKET_HOST_PID=$host $VETH_B "$3"

kill "$host"
ended=0
wait "$host" || ended=$?
host=
[ "$ended" = 0 ] || { echo "the DPDK port ended with $ended"; exit 1; }
