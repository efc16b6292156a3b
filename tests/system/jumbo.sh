#!/bin/sh
# payload_bytes_max beyond a device's MTU: a DPDK device is told a larger MTU, and where its driver cannot (af_packet), the
# log says so, and packets are as large as it has them. Large packets themselves: dpdk_ring_test.
. "$(dirname "$0")/veth_sessions.sh"

# many: pods whose asks, and whose places, fill packets in both directions.
many="--nodes 200 --pods 7000 --classes 7000 --batch 500 --settle 1s"
mtu_of_a() { $VETH_A ip -o link show "$VETH_A_IF" | sed 's/.* mtu \([0-9]*\) .*/\1/'; }
# run NAME PAYLOAD-OF-SHIM
run() {
    start_dpdk_daemon "$1"
    # shellcheck disable=SC2086
    veth_shim shim-a $many --payload-bytes-max "$2"
    end_of "$shim"
    [ "$ended" = 0 ] || fail "$1: the load ended with $ended: $(tail -n 2 "$work/shim-a.log")"
    expect shim-a.json placed 7000
    expect shim-a.json lost 0
    expect shim-a.json resumes 0
    stop_daemon
}

# --- As they are: packets of Ethernet's usual size.
$VETH_A ip link set "$VETH_A_IF" mtu 1500
run usual 1452
[ "$(mtu_of_a)" = 1500 ] || fail "nobody asked for another MTU"
log_says usual 'does not take an MTU' && fail "the log speaks of another MTU"
checked "packets of the usual size: nobody is told anything"

# --- Larger ones, which the driver does not have.
plane_settings='  payload_bytes_max: 8900'
run narrow 1452
log_says narrow 'does not take an MTU of 8928, packets are at most those of 1500' || fail "the log does not say so"
[ "$(mtu_of_a)" = 1500 ] || fail "another MTU, $(mtu_of_a)"
checked "a device that cannot is left as it is, and the log says so"
