# Loads over the seeded relay (sourced): each with a daemon, a relay and a journal of its own.
VETH_RELAY=1
. "$(dirname "$0")/veth_sessions.sh"
bad_network="--drop 0.05 --reorder 0.05 --duplicate 0.01 --corrupt 0.001 --delay-ms 5"

# run NAME RELAY-OPTIONS -- LOAD-OPTIONS: a daemon, a relay and a load of their own; NAME.places.
run() {
    run_name=$1
    shift
    relay_options=
    while [ "$1" != -- ]; do
        relay_options="$relay_options $1"
        shift
    done
    shift
    start_dpdk_daemon "$run_name-daemon"
    # shellcheck disable=SC2086
    start_relay "$run_name-relay" $relay_options
    veth_shim shim-a --journal "$work/$run_name.journal" "$@"
}

finish_run() {
    end_of "$shim"
    [ "$ended" = 0 ] || fail "$run_name: the load ended with $ended"
    expect shim-a.json lost 0
    expect shim-a.json pending 0
    expect shim-a.json duplicates 0
    stop_daemon
    stop_relay
    places "$run_name.journal" >"$work/$run_name.places"
    [ "$(cut -f 2 "$work/$run_name.places" | sort | uniq -d | wc -l)" = 0 ] || fail "a pod has two places"
    count=$(wc -l <"$work/$run_name.places")
    [ "$count" = "$(field shim-a.json placed)" ] || fail "$count places are in the journal"
    expect "$run_name-daemon.status" allocations "$count"
    expect "$run_name-daemon.status" placed "$count"
}

same_places() {
    cmp -s "$work/$1.places" "$work/$2.places" || {
        diff "$work/$1.places" "$work/$2.places" | head -n 10
        fail "$2 has other placements than $1"
    }
}
