#!/bin/sh
# Two lcores on the DPDK port over af_packet, pinned by the profile: with two queues, which the kernel spreads peers
# over, and with one, where the first lcore receives for both and packets are steered by connection id. Every load is
# served whole, both lcores get some, and each connection stays with one. Other numbers of queues are refused with a
# reason.
. "$(dirname "$0")/veth_sessions.sh"

queues=1
eal() { printf '%s\n' --no-huge -m 256 --no-pci --no-telemetry "--vdev=net_af_packet0,iface=$1,qpairs=$queues"; }

# of_lcore STATUS LCORE NAME: a counter of one lcore.
of_lcore() {
    python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["lcores"][int(sys.argv[2])][sys.argv[3]])' "$work/$1" "$2" "$3"
}
both_have() {
    [ "$(of_lcore "$1" 0 handshakes_ok)" -gt 0 ] && [ "$(of_lcore "$1" 1 handshakes_ok)" -gt 0 ]
}

# affinity_of THREAD: the CPUs that the daemon's thread may run on, as the kernel tells.
affinity_of() {
    grep -lx "$1" /proc/"$daemon"/task/*/comm | sed 's/comm$/status/' | xargs sed -n 's/^Cpus_allowed_list:[[:space:]]*//p'
}

pinned() { [ "$(affinity_of bp-lcore0)" = "$first" ] && [ "$(affinity_of bp-lcore1)" = "$second" ]; }

# The profile pins them, in turn, to the first and the last CPU that there is; then the other way round.
cpus=$(python3 -c 'import os; cpus = sorted(os.sched_getaffinity(0)); print(cpus[0], cpus[-1])')
link_settings='  lcores: 2'
for queues in 2 1; do
    run=queues-$queues
    first=${cpus% *} second=${cpus#* }
    profile_settings="profile: {data_plane: [$first, $second]}"
    start_dpdk_daemon "$run"
    until_true 10 pinned
    cpus="$second $first"
    loads=0
    # Where a peer lands follows from its UDP port: until both have had some.
    while [ "$loads" -lt 2 ] || ! both_have "$run.status"; do
        [ "$loads" -lt 40 ] || fail "$run: 40 loads, all on one lcore"
        veth_shim shim-a --nodes 50 --pods 500 --classes 5 --settle 100ms
        end_of "$shim"
        [ "$ended" = 0 ] || fail "$run: the load ended with $ended"
        expect shim-a.json placed 500
        expect shim-a.json lost 0
        expect shim-a.json duplicates 0
        loads=$((loads + 1))
        handshakes() {
            [ "$(($(of_lcore "$run.status" 0 handshakes_ok) + $(of_lcore "$run.status" 1 handshakes_ok)))" = "$loads" ]
        }
        until_true 10 handshakes
    done
    # shellcheck disable=SC2086
    $VETH_B "$bayplan" ping "$address:$port" --ca "$work/certs/ca.pem" --cert "$work/certs/shim-a.pem" \
        --key "$work/certs/shim-a.key" --count 1 >"$work/ping.log" || fail "$run: no answer to a ping"
    sed -n 's/^  handshakes_ok  *//p' "$work/ping.log" | {
        read -r all first second
        [ "$all" = $((loads + 1)) ] && [ "$all" = $((first + second)) ] && [ "$first" -gt 0 ] && [ "$second" -gt 0 ]
    } || fail "$run: ping does not tell the counters of both lcores"
    stop_daemon
    steered=$(of_lcore "$run.status" 0 steered_out)
    if [ "$queues" = 2 ]; then
        [ "$steered" = 0 ] || fail "$steered packets were steered although the kernel keeps peers on their queue"
        [ "$(of_lcore "$run.status" 1 rx_packets)" -gt 0 ] || fail "nothing came by the second queue"
    else
        [ "$steered" -gt 0 ] || fail "nothing was steered"
        [ "$(of_lcore "$run.status" 1 steered_in)" = "$steered" ] || fail "steered packets were lost"
    fi
    checked "$queues queues, 2 lcores: $loads loads, both lcores had some, $steered packets steered; pinned to $first and $second"
done

queues=3
start_refused() { log_says refused "has 3 queues for 2 lcores"; }
make_config 4433
(start_dpdk_daemon refused) >/dev/null 2>&1 &
until_true 30 start_refused
wait $! 2>/dev/null
checked "three queues for two lcores: $(grep -o 'DPDK device.*same' "$work/refused.log" | head -n 1)"
