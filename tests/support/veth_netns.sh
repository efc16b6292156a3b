# shellcheck shell=sh
# Two network namespaces with a veth pair between them; to be sourced by POSIX shell scripts.
#
#   namespace A                                 namespace B
#   va0: no kernel address. The daemon's   <->  vb0: 10.99.0.1/24. Ordinary kernel sockets: the shim,
#   af_packet port answers for 10.99.0.2        ping, raw frames of tests
#
# Works as root (named namespaces) and unprivileged (the script runs itself again in a user namespace).
# Interfaces end in a digit, for `ip link add` takes "a" for "address". IPv6 is off on both, so that
# counters show only the traffic that was meant. Neither passes on what a sender left to be cut into
# packets later (UDP_SEGMENT): the af_packet driver cannot cut, so it would lose every run. Interface A
# has no kernel address on purpose: the port speaks ARP itself, and two stations with one address would
# quarrel.
#
# Use:
#   . tests/support/veth_netns.sh
#   veth_netns_enter "$0" "$@" || ...        # may run "$0" "$@" again
#   veth_netns_make || ...                   # 1: the machine has no namespaces or links for us; 2: any other failure
# or, for tests, both at once:
#   veth_netns_or_skip "$0" "$@"             # ends with 77 only where it was 1
#   $VETH_A baypland ... &  daemon=$!        # runs in A; $! is the program itself
#   $VETH_B bayplan load ...                 # runs in B
#
# Set before (all optional):
#   VETH_NAME           prefix of the named namespaces; default bayplan<pid>. A fixed name is for those
#                       who keep them.
#   VETH_KEEP=1         leave namespaces and link behind
#   VETH_NETNS_MODE     auto (default); root: named namespaces or nothing; user: a user namespace even
#                       for root
#   VETH_A_MAC, VETH_B_MAC   Ethernet addresses, else random
#   VETH_RELAY=1        a third namespace between the two: va0 <-> ra0, rb0 <-> vb0. Nothing passes
#                       before a program there carries frames from ra0 to rb0 and back
#                       (tests/system/relay)
# Set after:
#   VETH_A, VETH_B      command prefixes (words without blanks, to be used unquoted)
#   VETH_R              likewise, with VETH_RELAY
#   VETH_A_IF VETH_B_IF va0 vb0;  VETH_A_IP VETH_B_IP 10.99.0.2 10.99.0.1
#   VETH_WHY_NOT        on failure, one line for people
# veth_netns_make sets an EXIT trap. A script with one of its own sets it afterwards and calls
# veth_netns_cleanup in it. Programs started in the namespaces are the script's to end.

VETH_A_IF=va0
VETH_B_IF=vb0
VETH_RA_IF=ra0
VETH_RB_IF=rb0
VETH_A_IP=10.99.0.2
VETH_B_IP=10.99.0.1
VETH_WHY_NOT=

# Chooses how; in a user namespace this does not return, but runs the script anew from its beginning.
veth_netns_enter() {
    if [ "${VETH_NETNS_INSIDE:-}" = 1 ]; then
        VETH_KIND=holder
        return 0
    fi
    for _veth_tool in ip unshare nsenter; do
        command -v "$_veth_tool" >/dev/null 2>&1 || {
            VETH_WHY_NOT="no command '$_veth_tool' (packages iproute2, util-linux)"
            return 1
        }
    done
    if [ "${VETH_NETNS_MODE:-auto}" != user ] && [ "$(id -u)" = 0 ]; then
        if _veth_error=$(ip netns add "bayplan-try$$" 2>&1); then
            ip netns del "bayplan-try$$"
            VETH_KIND=named
            return 0
        fi
        VETH_WHY_NOT="root, but 'ip netns add' fails: $_veth_error"
    fi
    [ "${VETH_NETNS_MODE:-auto}" != root ] || {
        VETH_WHY_NOT=${VETH_WHY_NOT:-"not root"}
        return 1
    }
    if _veth_error=$(unshare --user --map-root-user --net true 2>&1); then
        VETH_NETNS_INSIDE=1 exec unshare --user --map-root-user --net -- "$@"
    fi
    VETH_WHY_NOT="${VETH_WHY_NOT:+$VETH_WHY_NOT; }user namespaces are not allowed here: $_veth_error"
    return 1
}

veth_netns_or_skip() {
    veth_netns_enter "$@" || { echo "skipped: $VETH_WHY_NOT"; exit 77; }
    _veth_status=0
    veth_netns_make || _veth_status=$?
    case $_veth_status in
    0) ;;
    1) echo "skipped: $VETH_WHY_NOT"; exit 77 ;;
    *) echo "FAILED: $VETH_WHY_NOT"; exit 1 ;;
    esac
}

# Both namespaces, the link, the address of B.
veth_netns_make() {
    _veth_made=
    trap veth_netns_cleanup EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    case $VETH_KIND in
    named) _veth_make_named ;;
    *) _veth_make_held ;;
    esac || {
        _veth_is_not_allowed && return 1
        return 2
    }
    _veth_ready "$VETH_A" "$VETH_A_IF" "${VETH_A_MAC:-}" &&
        _veth_ready "$VETH_B" "$VETH_B_IF" "${VETH_B_MAC:-}" &&
        _veth_do $VETH_B ip addr add "$VETH_B_IP/24" dev "$VETH_B_IF" || return 2
    [ -z "${VETH_RELAY:-}" ] || {
        _veth_ready "$VETH_R" "$VETH_RA_IF" "" && _veth_ready "$VETH_R" "$VETH_RB_IF" "" || return 2
    }
}

# The kernel, or a container's rules, forbid it or do not have it. What else fails is a fault, of the machine or of this script.
_veth_is_not_allowed() {
    case $VETH_WHY_NOT in
    *"not permitted"* | *"ermission denied"* | *"not supported"* | *"Unknown device type"* | *"no second network namespace"*) ;;
    *) false ;;
    esac
}

veth_netns_cleanup() {
    [ -n "${_veth_made:-}" ] && [ "${VETH_KEEP:-}" != 1 ] || return 0
    case $_veth_made in
    named)
        ip netns del "$VETH_NAME-a" 2>/dev/null
        ip netns del "$VETH_NAME-b" 2>/dev/null
        [ -z "${VETH_RELAY:-}" ] || ip netns del "$VETH_NAME-r" 2>/dev/null
        ;;
    held)
        kill "$_veth_holder" 2>/dev/null
        [ -z "${_veth_relay_holder:-}" ] || kill "$_veth_relay_holder" 2>/dev/null
        ;;
    esac
    _veth_made=
    return 0
}

# Runs a command; on failure its words and its complaint are the reason.
_veth_do() {
    _veth_error=$("$@" 2>&1) && return 0
    VETH_WHY_NOT="'$*' fails: $_veth_error"
    return 1
}

_veth_make_named() {
    : "${VETH_NAME:=bayplan$$}"
    _veth_sweep
    _veth_do ip netns add "$VETH_NAME-a" || return 1
    _veth_made=named
    _veth_do ip netns add "$VETH_NAME-b" || return 1
    VETH_A="ip netns exec $VETH_NAME-a"
    VETH_B="ip netns exec $VETH_NAME-b"
    if [ -z "${VETH_RELAY:-}" ]; then
        _veth_do ip -n "$VETH_NAME-a" link add "$VETH_A_IF" type veth peer name "$VETH_B_IF" \
            netns "$VETH_NAME-b"
        return
    fi
    _veth_do ip netns add "$VETH_NAME-r" || return 1
    VETH_R="ip netns exec $VETH_NAME-r"
    _veth_join "$VETH_NAME-r"
}

# Two links that end in the namespace of the relay ($1: its name or a process in it).
_veth_join() {
    _veth_do $VETH_A ip link add "$VETH_A_IF" type veth peer name "$VETH_RA_IF" netns "$1" &&
        _veth_do $VETH_B ip link add "$VETH_B_IF" type veth peer name "$VETH_RB_IF" netns "$1"
}

# Namespaces of runs that were killed before they could clean up: numbered, and that process is gone.
_veth_sweep() {
    for _veth_old in $(ip netns list | sed -n 's/^\(bayplan[0-9][0-9]*-[abr]\)\( .*\)\{0,1\}$/\1/p'); do
        _veth_pid=${_veth_old#bayplan}
        [ -d "/proc/${_veth_pid%-?}" ] || ip netns del "$_veth_old" 2>/dev/null
    done
}

# B is where the script runs; A lives as long as its holder, and the holder as long as this script.
_veth_make_held() {
    _veth_hold || return 1
    _veth_holder=$_veth_held
    VETH_A="nsenter --net=/proc/$_veth_holder/ns/net"
    VETH_B="env"
    if [ -z "${VETH_RELAY:-}" ]; then
        _veth_do ip link add "$VETH_B_IF" type veth peer name "$VETH_A_IF" netns "$_veth_holder"
        return
    fi
    _veth_hold || return 1
    _veth_relay_holder=$_veth_held
    VETH_R="nsenter --net=/proc/$_veth_relay_holder/ns/net"
    _veth_join "$_veth_relay_holder"
}

# A process in a network namespace of its own; its pid in _veth_held.
_veth_hold() {
    _veth_holding="tail --pid=$$ -f /dev/null"
    [ "${VETH_KEEP:-}" != 1 ] || _veth_holding="sleep infinity"
    # shellcheck disable=SC2086
    unshare --net -- $_veth_holding </dev/null >/dev/null 2>&1 &
    _veth_held=$!
    [ -n "$_veth_made" ] || _veth_holder=$_veth_held
    _veth_made=held
    _veth_tries=0
    while [ "$(readlink "/proc/$_veth_held/ns/net")" = "$(readlink /proc/self/ns/net)" ]; do
        _veth_tries=$((_veth_tries + 1))
        if [ "$_veth_tries" -gt 200 ] || ! kill -0 "$_veth_held" 2>/dev/null; then
            VETH_WHY_NOT="'unshare --net' makes no second network namespace"
            return 1
        fi
        sleep 0.05
    done
}

# $1 prefix, $2 interface, $3 Ethernet address or nothing.
_veth_ready() {
    # Where the kernel has no IPv6 there is nothing to turn off.
    if [ -d /proc/sys/net/ipv6 ]; then
        _veth_do $1 ip link set "$2" addrgenmode none || return 1
        $1 sh -c "echo 1 >/proc/sys/net/ipv6/conf/$2/disable_ipv6" 2>/dev/null || :
    fi
    _veth_do $1 ip link set "$2" gso_max_segs 1 || return 1
    if [ -n "$3" ]; then
        _veth_do $1 ip link set "$2" address "$3" || return 1
    fi
    _veth_do $1 ip link set lo up && _veth_do $1 ip link set "$2" up
}
