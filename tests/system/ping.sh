#!/bin/sh
# `bayplan ping`: the daemon's certificate, cipher, round trips and counters, over kernel UDP; it takes no shim's
# place, and who may drive no partition is told nothing.
. "$(dirname "$0")/sessions.sh"

start_daemon daemon
ping() { # NAME OPTIONS...
    name=$1
    shift
    ended=0
    "$bayplan" ping "127.0.0.1:$port" --ca "$work/certs/ca.pem" --cert "$work/certs/$name.pem" \
        --key "$work/certs/$name.key" "$@" >"$work/ping.log" 2>&1 || ended=$?
}
said() { grep -q -- "$1" "$work/ping.log" || fail "ping does not say: $1"; }

ping shim-a --count 3 --interval 10ms
[ "$ended" = 0 ] || fail "ping ended with $ended"
said '^certificate  subject CN=bayplan-server$'
said 'issuer  CN=Bayplan throw-away CA$'
from=$(openssl x509 -in "$work/certs/server.pem" -noout -startdate | cut -d= -f2)
said "valid   $(date -u -d "$from" '+%Y-%m-%d %H:%M:%SZ') to "
said '^cipher       TLS1.3 AES-\(128\|256\)-GCM$'
said '^round trips  3: min/avg/max [0-9.]*/[0-9.]*/[0-9.]* ms$'
said '  frames_in  *[123]$'
said '  handshakes_ok  *1$'
checked "ping tells certificate, cipher, round trips and counters: $(grep '^round' "$work/ping.log")"

# While the same shim is at work.
shim shim-a --nodes 100 --pods 2000 --rate 2000 --settle 1s
until_true 20 log_says daemon 'msg="shim connected"'
for _ in 1 2 3; do
    ping shim-a --count 5 --interval 10ms
    [ "$ended" = 0 ] || fail "ping beside a load ended with $ended"
done
said '  shims_hellos  *1$'
end_of "$shim"
[ "$ended" = 0 ] || fail "the load ended with $ended"
expect shim-a.json placed 2000
expect shim-a.json resumes 0
expect shim-a.json resyncs 1
checked "an observer takes nobody's place"

ping outsider
[ "$ended" = 3 ] || fail "an outsider's ping ended with $ended"
said "'outsider' may not use any partition"
ping other-client
[ "$ended" = 3 ] || fail "a stranger's ping ended with $ended"
said 'is not signed by our CA'
checked "who may drive no partition is told why, and nothing else"

ping shim-a --server-name other.example
[ "$ended" = 3 ] || fail "a ping of a server of another name ended with $ended"
said 'server certificate "bayplan-server" is not for other.example'
checked "a server of another name is not asked anything"
stop_daemon
ping shim-a --timeout 1s
[ "$ended" = 3 ] || fail "a ping to nobody ended with $ended"
checked "nobody there: $(tail -n 1 "$work/ping.log")"
