#!/bin/sh
# The link goes down and comes up again, and the shim's address changes, in the middle of a load: the connection
# goes on or is resumed, and every pod is placed once. The shim has a kernel socket, the daemon the DPDK port.
. "$(dirname "$0")/veth_sessions.sh"

# Open-loop, so that each disturbance falls into the load.
plane_settings='  idle_timeout: 2s'
run() {
    run_name=$1
    start_dpdk_daemon "$1-daemon"
    veth_shim shim-a --nodes 500 --pods 12000 --classes 20 --rate 1500 --settle 1s --idle-timeout 2s \
        --journal "$work/$1.journal"
    until_true 60 journal_of_run_longer_than 60000
}
journal_of_run_longer_than() {
    [ -f "$work/$run_name.journal" ] && [ "$(wc -c <"$work/$run_name.journal")" -gt "$1" ]
}
finish_run() {
    end_of "$shim"
    [ "$ended" = 0 ] || fail "$run_name: the load ended with $ended"
    expect shim-a.json placed 12000
    expect shim-a.json lost 0
    expect shim-a.json pending 0
    expect shim-a.json duplicates 0
    stop_daemon
    expect "$run_name-daemon.status" allocations 12000
    expect "$run_name-daemon.status" placed 12000
    places "$run_name.journal" >"$work/$run_name.places"
    [ "$(cut -f 2 "$work/$run_name.places" | sort -u | wc -l)" = 12000 ] || fail "the journal has not every pod once"
    checked "$run_name: 12000 pods placed once each, $(field shim-a.json resumes) resumes"
}
still_at_work() { kill -0 "$shim" 2>/dev/null || fail "$run_name: the load was over before the disturbance was"; }
gone() { log_says "$run_name-daemon" 'msg="connection closed"'; }

# Down for longer than the idle timeout: the daemon closes, the shim connects again when it can.
run link-of-the-shim
$VETH_B ip link set "$VETH_B_IF" down
until_true 30 gone
still_at_work
$VETH_B ip link set "$VETH_B_IF" up
finish_run
[ "$(field shim-a.json resumes)" -ge 1 ] || fail "a link that was down for so long did not end the connection"

# The same at the daemon's end, whose driver sees its interface go.
run link-of-the-daemon
$VETH_A ip link set "$VETH_A_IF" down
until_true 30 log_says "$run_name-daemon" 'line="the link of net_af_packet0 is down"'
until_true 30 gone
still_at_work
$VETH_A ip link set "$VETH_A_IF" up
until_true 30 log_says "$run_name-daemon" 'line="the link of net_af_packet0 is up again"'
finish_run

# Another address: packets come from there from one moment to the next, and answers must go there.
run address
$VETH_B ip addr add 10.99.0.7/24 dev "$VETH_B_IF"
$VETH_B ip addr del "$VETH_B_IP/24" dev "$VETH_B_IF"
$VETH_B ip addr show dev "$VETH_B_IF" | grep -q 10.99.0.7 || $VETH_B ip addr add 10.99.0.7/24 dev "$VETH_B_IF"
still_at_work
finish_run

# Another Ethernet address under the same IP address, as when a shim moves to another machine's interface.
VETH_B_IP=10.99.0.7
run ethernet-address
$VETH_B ip link set "$VETH_B_IF" down
$VETH_B ip link set "$VETH_B_IF" address 02:00:00:00:00:77
$VETH_B ip link set "$VETH_B_IF" up
still_at_work
finish_run
