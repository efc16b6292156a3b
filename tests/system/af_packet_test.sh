#!/bin/sh
# af_packet_test.sh SUPPORT frames HOST TEST: the DPDK port (HOST) in one network namespace, a kernel host
#                                             (TEST) in another, a veth between them
# af_packet_test.sh SUPPORT quic PROGRAM      QUIC over the same: PROGRAM server in one, PROGRAM client in
#                                             the other
# SUPPORT: the directory of veth_netns.sh and make_certs. Exit 77: namespaces are not allowed here.
set -eu
. "$1/veth_netns.sh"
# Those of tests/dataplane/l2l3_frames.h.
VETH_A_MAC=02:00:00:00:00:02
VETH_B_MAC=02:00:00:00:00:01
veth_netns_or_skip "$0" "$@"

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

# Starts the command in namespace A and waits until it says that it is ready.
start_in_a() {
    # shellcheck disable=SC2086
    $VETH_A "$@" >"$work/ready" &
    host=$!
    read -r line <"$work/ready" || line="(it ended)"
    [ "$line" = ready ] || { echo "the DPDK port did not start: $line"; exit 1; }
}

# shellcheck disable=SC2086
case $2 in
frames)
    command -v ping >/dev/null || { echo "no ping: install iputils-ping"; exit 1; }
    start_in_a "$3" "$VETH_A_IF" "$VETH_A_IP"
    AF_PACKET_HOST_PID=$host $VETH_B "$4"
    ;;
quic)
    "$1/make_certs" "$work/certificates" shim-a
    start_in_a "$3" server "$work/certificates" "$VETH_A_IF" "$VETH_A_IP"
    $VETH_B "$3" client "$work/certificates" "$VETH_A_IP"
    ;;
esac

kill "$host"
ended=0
wait "$host" || ended=$?
host=
[ "$ended" = 0 ] || { echo "the DPDK port ended with $ended"; exit 1; }
