# Common to session tests whose daemon has a DPDK port (sourced): namespaces, a daemon on af_packet in A,
# shims with ordinary sockets in B, and with VETH_RELAY=1 a seeded bad network in between.
# Arguments of every such test: BAYPLAND BAYPLAN MAKE_CERTS VETH_NETNS [RELAY]. Exit 77: namespaces are not
# allowed here. Also sets what sessions.sh sets.
. "$4"
veth_netns_or_skip "$0" "$@"
. "$(dirname "$0")/sessions.sh"
after_finish=veth_netns_cleanup
relay_program=${5:-}
relay=
address=$VETH_A_IP
port=4433

eal() { printf '%s\n' --no-huge -m 256 --no-pci --no-telemetry "--vdev=net_af_packet0,iface=$1"; }

# start_dpdk_daemon NAME: as start_daemon of sessions.sh, but in A, on the DPDK port at $address:4433, with
# $link_settings if the test sets them.
link_settings=
start_dpdk_daemon() {
    make_config 4433
    sed -i -e 's/port: kernel/port: dpdk/' -e "s/address: 127.0.0.1/address: $address/" "$work/daemon.yaml"
    {
        echo '  device: net_af_packet0'
        echo '  eal:'
        eal "$VETH_A_IF" | sed 's/.*/    - "&"/'
        echo "$link_settings"
    } >>"$work/daemon.yaml"
    # shellcheck disable=SC2086
    $VETH_A "$baypland" --config "$work/daemon.yaml" --record "$work/$1.record" --status "$work/$1.status" \
        >"$work/$1.log" 2>&1 &
    daemon=$!
    until_true 30 log_says "$1" 'msg="ready"'
}

# start_relay NAME OPTIONS...: log NAME.log, counters NAME.json once it was stopped.
start_relay() {
    relay_name=$1
    shift
    [ -p "$work/commands" ] || mkfifo "$work/commands"
    # Read and write, so that neither side waits for the other and no end of file is seen.
    # shellcheck disable=SC2086
    $VETH_R "$relay_program" --a "$VETH_RA_IF" --b "$VETH_RB_IF" --json "$work/$relay_name.json" "$@" \
        <>"$work/commands" >"$work/$relay_name.log" 2>&1 &
    relay=$!
    shims="$shims $relay"
    until_true 10 log_says "$relay_name" ready
}

stop_relay() {
    kill -TERM "$relay"
    end_of "$relay"
    [ "$ended" = 0 ] || fail "the relay ended with $ended"
}

# storm LOSS MILLISECONDS: a further loss in both directions, begun at once.
storm() { echo "storm $1 $2" >"$work/commands"; }
storms_over() { [ "$(grep -c 'storm over' "$work/$relay_name.log")" -ge "$1" ]; }

# with_ipv6 PREFIX INTERFACE: on again, where veth_netns.sh has turned it off.
with_ipv6() {
    [ "$($1 cat "/proc/sys/net/ipv6/conf/$2/disable_ipv6")" = 0 ] ||
        $1 sh -c "echo 0 >/proc/sys/net/ipv6/conf/$2/disable_ipv6"
}

# counter STATUS NAME: of the data plane, from a status file.
counter() {
    python3 -c 'import json, sys
def look(value):
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == sys.argv[2] and not isinstance(inner, (dict, list)): yield inner
            yield from look(inner)
print(next(look(json.load(open(sys.argv[1]))), 0))' "$work/$1" "$2"
}

# veth_shim NAME LOAD-ARGUMENTS...: as shim of sessions.sh, but in B.
veth_shim() {
    name=$1
    shift
    # shellcheck disable=SC2086
    $VETH_B "$bayplan" load --connect "$address:$port" --ca "$work/certs/ca.pem" \
        --cert "$work/certs/$name.pem" --key "$work/certs/$name.key" --json "$work/$name.json" "$@" \
        >"$work/$name.log" 2>&1 &
    shim=$!
    shims="$shims $shim"
}

# places JOURNAL: the lines `A<tab>key<tab>node`: what the shim has acknowledged.
places() { tr -d '\000' <"$work/$1" | grep -ao 'A	[^	]*	[[:alnum:]_.-]*' | sort; }

# relay_sum COUNTER: of both directions.
relay_sum() {
    python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))
print(report["a_to_b"][sys.argv[2]] + report["b_to_a"][sys.argv[2]])' "$work/$relay_name.json" "$1"
}
