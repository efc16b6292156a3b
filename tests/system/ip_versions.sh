#!/bin/sh
# The DPDK port on links as they are: IPv6 with neighbour discovery beside IPv4, announcements at start, a VLAN,
# peers behind a router. Against the kernel's stack on the other side of a veth, and DPDK on both sides.
. "$(dirname "$0")/veth_sessions.sh"

load="--nodes 200 --pods 2000 --classes 20 --settle 1s"
placed_all() {
    end_of "$shim"
    [ "$ended" = 0 ] || fail "$1: the load ended with $ended"
    expect shim-a.json placed 2000
    expect shim-a.json lost 0
    expect shim-a.json duplicates 0
    checked "$1: 2000 pods placed"
}
ping_answers() { $VETH_B ping -n -q -c 2 -i 0.2 -W 10 "$@" >"$work/ping.log" 2>&1 || fail "no echo from $*"; }
mac_of_a=$($VETH_A cat "/sys/class/net/$VETH_A_IF/address" 2>/dev/null ||
    $VETH_A ip -o link show "$VETH_A_IF" | sed 's,.*link/ether \([^ ]*\).*,\1,')
neighbour_is() { $VETH_B ip neigh show "$1" dev "$VETH_B_IF" | grep -q "lladdr $2"; }

# --- IPv4 and IPv6 at once. Neighbours that remember another station are set right by the announcements.
[ -d /proc/sys/net/ipv6 ] || { echo "skipped: this kernel has no IPv6"; exit 77; }
with_ipv6 "$VETH_B" "$VETH_B_IF" && $VETH_B ip addr add fd99::1/64 dev "$VETH_B_IF" nodad || fail "no IPv6 on the link"
for old in 10.99.0.2 fd99::2; do
    $VETH_B ip neigh replace "$old" lladdr 02:00:00:00:00:99 dev "$VETH_B_IF" nud stale
done
link_settings='  address6: "fd99::2"'
start_dpdk_daemon both
until_true 10 neighbour_is 10.99.0.2 "$mac_of_a"
until_true 10 neighbour_is fd99::2 "$mac_of_a"
checked "neighbours learn both addresses from the announcements at start"
$VETH_B ip -6 neigh flush dev "$VETH_B_IF"
ping_answers fd99::2
ping_answers -s 1452 fd99::2
ping_answers -s 1 fd99::2
ping_answers 10.99.0.2
checked "echo over IPv6 and IPv4, up to the MTU"
address='[fd99::2]'
# shellcheck disable=SC2086
veth_shim shim-a $load
placed_all "over IPv6 (the kernel looks at our checksums)"
address=$VETH_A_IP
# shellcheck disable=SC2086
veth_shim shim-a $load
placed_all "over IPv4 to the same port"
# shellcheck disable=SC2046,SC2086
address='[fd99::2]' veth_shim shim-a --port dpdk --device net_af_packet0 --address6 fd99::3 \
    $(eal "$VETH_B_IF" | sed 's/^/--eal=/') $load
placed_all "over IPv6 with DPDK on both ends, which find each other by neighbour discovery"
address=$VETH_A_IP
stop_daemon
[ "$(counter both.status ndp_replies)" -gt 0 ] || fail "no neighbour's question was answered"

# --- A shim behind a router: its address is not of the link, and answers go back the way its packets came.
start_dpdk_daemon routed
$VETH_B ip addr add 10.97.0.1/32 dev lo
$VETH_B ip route replace 10.99.0.2/32 dev "$VETH_B_IF" src 10.97.0.1
# shellcheck disable=SC2086
veth_shim shim-a $load
placed_all "a shim behind a router"
log_says routed 'address=10.97.0.1:' || fail "the shim did not come from behind the router"
$VETH_B ip route del 10.99.0.2/32 dev "$VETH_B_IF"
stop_daemon

# --- In a VLAN: DPDK on both ends, and the kernel where it knows VLANs.
address=10.99.42.2
link_settings='  vlan: 42'
in_vlan() {
    # shellcheck disable=SC2046,SC2086
    veth_shim shim-a --port dpdk --device net_af_packet0 $(eal "$VETH_B_IF" | sed 's/^/--eal=/') \
        --address 10.99.42.3 --connect-timeout 1s "$@" $load
}
start_dpdk_daemon vlan
in_vlan --vlan 42
placed_all "in VLAN 42, with DPDK on both ends"
for other in "--vlan 43" ""; do
    # shellcheck disable=SC2086
    in_vlan $other
    end_of "$shim"
    [ "$ended" = 3 ] || fail "outside the VLAN (${other:-untagged}) the load ended with $ended"
done
if $VETH_B ip link add link "$VETH_B_IF" name vb0.42 type vlan id 42 2>"$work/vlan.log"; then
    $VETH_B ip link set vb0.42 gso_max_segs 1
    $VETH_B ip addr add 10.99.42.1/24 dev vb0.42
    $VETH_B ip link set vb0.42 up
    ping_answers -s 1472 10.99.42.2
    # shellcheck disable=SC2086
    veth_shim shim-a $load
    placed_all "in VLAN 42, with the kernel's VLAN interface"
    $VETH_B ip link del vb0.42
else
    echo "not here, left out: VLAN interfaces of the kernel ($(tail -n 1 "$work/vlan.log"))"
fi
stop_daemon
[ "$(counter vlan.status drop_vlan)" -gt 0 ] || fail "frames from outside the VLAN were not counted"
checked "frames of another VLAN or of none are dropped and counted"

# --- A daemon behind a router: the client's port asks for its gateway. Here A is router and daemon in one.
with_ipv6 "$VETH_A" "$VETH_A_IF"
with_ipv6 "$VETH_A" lo
$VETH_A ip addr add 10.99.0.2/24 dev "$VETH_A_IF"
$VETH_A ip addr add fd99::2/64 dev "$VETH_A_IF" nodad
$VETH_A ip addr add 10.98.0.1/32 dev lo
$VETH_A ip addr add fd98::1/128 dev lo nodad
link_settings=
make_config 4433
sed -i 's/address: 127.0.0.1/address: "::"/' "$work/daemon.yaml"
# shellcheck disable=SC2086
$VETH_A "$baypland" --config "$work/daemon.yaml" --status "$work/kernel.status" >"$work/kernel.log" 2>&1 &
daemon=$!
until_true 20 log_says kernel 'msg="ready"'
through_gateway() {
    # shellcheck disable=SC2046,SC2086
    veth_shim shim-a --port dpdk --device net_af_packet0 $(eal "$VETH_B_IF" | sed 's/^/--eal=/') "$@" $load
}
address=10.98.0.1
through_gateway --address 10.99.0.3 --prefix-length 24 --gateway 10.99.0.2
placed_all "a daemon behind a gateway"
address='[fd98::1]'
through_gateway --address6 fd99::3 --prefix-length6 64 --gateway6 fd99::2
placed_all "a daemon behind a gateway, over IPv6, its kernel port at every address"
through_gateway --address6 fd99::3 --prefix-length6 64 --connect-timeout 1s
end_of "$shim"
[ "$ended" = 3 ] || fail "without a gateway the load ended with $ended"
checked "without a gateway there is no way, and that is said"
stop_daemon
