#!/bin/sh
# A client without a certificate, one of another authority, and one whose subject may not use the
# partition are refused, and the daemon's log says why; so does a client to whom the daemon is a stranger.
. "$(dirname "$0")/sessions.sh"

start_daemon daemon
# refused NAME EXPECTED-IN-DAEMON-LOG LOAD-ARGUMENTS...
refused() {
    name=$1
    expected=$2
    shift 2
    "$bayplan" load --connect "127.0.0.1:$port" --nodes 1 --pods 1 --connect-timeout 2s "$@" \
        >"$work/$name.log" 2>&1
    ended=$?
    [ "$ended" = 3 ] || fail "$name: the load ended with $ended, not 3"
    line=$(grep 'refused' "$work/daemon.log" | grep -- "$expected" | head -n 1)
    [ -n "$line" ] || fail "$name: the daemon's log does not say '$expected'"
    checked "$name: $line"
}

certs=$work/certs
refused no-certificate 'no client certificate' --ca "$certs/ca.pem"
refused another-authority 'not signed by our CA' --ca "$certs/ca.pem" \
    --cert "$certs/other-client.pem" --key "$certs/other-client.key"
refused wrong-subject "'outsider' may not use partition 'default'" --ca "$certs/ca.pem" \
    --cert "$certs/outsider.pem" --key "$certs/outsider.key"
log_says wrong-subject "'outsider' may not use partition 'default'" || fail "the shim was not told why"
refused no-such-partition "there is no partition 'other'" --ca "$certs/ca.pem" --partition other \
    --cert "$certs/shim-a.pem" --key "$certs/shim-a.key"

"$bayplan" load --connect "127.0.0.1:$port" --nodes 1 --pods 1 --connect-timeout 2s \
    --ca "$certs/other-ca.pem" --cert "$certs/shim-a.pem" --key "$certs/shim-a.key" >"$work/stranger.log" 2>&1
ended=$?
[ "$ended" = 3 ] || fail "a client that does not know the daemon ended with $ended, not 3"
line=$(grep 'not signed by our CA' "$work/stranger.log" | head -n 1)
[ -n "$line" ] || fail "the client does not say why it does not trust the daemon"
checked "unknown daemon: $line"

[ "$(field daemon.status placed)" = 0 ] || fail "somebody got a place"
shim shim-a --nodes 1 --pods 1
end_of "$shim"
[ "$ended" = 0 ] || fail "a good shim was refused after all these"
checked "a shim that may is served after all that"
stop_daemon
expect daemon.status placed 1
