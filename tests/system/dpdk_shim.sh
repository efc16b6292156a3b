#!/bin/sh
# dpdk_shim.sh BAYPLAND BAYPLAN MAKE_CERTS VETH_NETNS: both ends on DPDK ports, af_packet over a veth between
# two network namespaces. Exit 77: namespaces are not allowed here.
. "$4"
veth_netns_or_skip "$0" "$@"
. "$(dirname "$0")/sessions.sh"
after_finish=veth_netns_cleanup

eal() { printf '%s\n' --no-huge -m 256 --no-pci --no-telemetry "--vdev=net_af_packet0,iface=$1"; }
make_config 4433
sed -i -e 's/port: kernel/port: dpdk/' -e "s/address: 127.0.0.1/address: $VETH_A_IP/" "$work/daemon.yaml"
{
    echo '  device: net_af_packet0'
    echo '  eal:'
    eal "$VETH_A_IF" | sed 's/.*/    - "&"/'
} >>"$work/daemon.yaml"
# shellcheck disable=SC2086
$VETH_A "$baypland" --config "$work/daemon.yaml" --status "$work/daemon.status" >"$work/daemon.log" 2>&1 &
daemon=$!
until_true 30 test -f "$work/daemon.status"
# shellcheck disable=SC2046,SC2086
$VETH_B "$bayplan" load --connect "$VETH_A_IP:4433" --ca "$work/certs/ca.pem" --cert "$work/certs/shim-a.pem" \
    --key "$work/certs/shim-a.key" --port dpdk --device net_af_packet0 --address "${VETH_B_IP%.*}.3" \
    $(eal "$VETH_B_IF" | sed 's/^/--eal=/') --daemon-status "$work/daemon.status" --json "$work/shim-a.json" \
    --nodes 500 --pods 5000 --classes 20 --cut-after 1500 --cuts 2 >"$work/shim-a.log" 2>&1
ended=$?
[ "$ended" = 0 ] || fail "the load ended with $ended"
expect shim-a.json port af_packet
expect shim-a.json placed 5000
expect shim-a.json lost 0
expect shim-a.json duplicates 0
expect shim-a.json resumes 2
# (The shim has an address of its own: the kernel answers for that of the interface.)
checked "5000 pods placed with DPDK on both ends ($(field shim-a.json rx_packets) packets received by the daemon), 2 cuts resumed"
stop_daemon
