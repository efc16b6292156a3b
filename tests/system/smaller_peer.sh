#!/bin/sh
# The far end of the daemon's veth has a smaller MTU than its own: the kernel refuses long frames there, and one that is refused
# stays the first of the af_packet driver's ring. Every pod is placed all the same, and the log says what to look at.
. "$(dirname "$0")/veth_sessions.sh"

$VETH_B ip link set "$VETH_B_IF" mtu 1400
start_dpdk_daemon smaller
# Places fill packets.
veth_shim shim-a --nodes 200 --pods 7000 --classes 7000 --batch 500
end_of "$shim"
[ "$ended" = 0 ] || fail "the load ended with $ended"
expect shim-a.json placed 7000
expect shim-a.json lost 0
newer_status smaller
[ "$(counter smaller.status tx_refused)" -gt 0 ] || fail "no frame was refused, or nobody noticed"
log_says smaller "the link of $VETH_A_IF refuses a frame, which held up all others; they were thrown away" ||
    fail "the log does not say so"
checked "7000 pods over a link whose far end takes 1400 bytes, after $(counter smaller.status tx_refused) refusals"
stop_daemon

plane_settings='  payload_bytes_max: 1372'
start_dpdk_daemon known
veth_shim shim-a --nodes 200 --pods 7000 --classes 7000 --batch 500 --payload-bytes-max 1372
end_of "$shim"
[ "$ended" = 0 ] || fail "with payload_bytes_max the load ended with $ended"
expect shim-a.json placed 7000
stop_daemon
[ "$(counter known.status tx_refused)" = 0 ] || fail "a frame was refused that fits"
checked "7000 pods with payload_bytes_max on both sides"
