#!/bin/sh
# kill -9 of the daemon: after the resync every acknowledged allocation stands exactly once on its node,
# every other ask is placed once, and nothing was decided before the shim's end of state.
. "$(dirname "$0")/sessions.sh"

start_daemon first
shim shim-a --nodes 500 --pods 6000 --classes 50 --rate 2000 --journal "$work/journal" --settle 2s \
    --idle-timeout 2s
until_true 60 journal_longer_than 60000
kill_daemon
# The shim has taken all that reached it once it says that the connection is gone.
until_true 60 log_says shim-a 'not connected'
cp "$work/journal" "$work/journal.then"
start_daemon second
end_of "$shim"
[ "$ended" = 0 ] || fail "the load ended with $ended"
expect shim-a.json placed 6000
expect shim-a.json lost 0
expect shim-a.json pending 0
expect shim-a.json duplicates 0
expect shim-a.json resyncs 2
checked "6000 placed over two daemons, none lost or doubled"
stop_daemon
expect second.status allocations 6000
checked "the second daemon has 6000 allocations"

# places FILE: the lines `A<tab>key<tab>node` of a journal.
places() { tr -d '\000' <"$work/$1" | grep -ao 'A	[^	]*	node-[0-9]*' | sort; }
places journal.then >"$work/places.then"
places journal >"$work/places.now"
then_count=$(wc -l <"$work/places.then")
[ "$then_count" -gt 1000 ] || fail "only $then_count places before the kill"
[ "$(wc -l <"$work/places.now")" = 6000 ] || fail "the journal holds $(wc -l <"$work/places.now") places"
[ "$(cut -f 2 "$work/places.now" | sort -u | wc -l)" = 6000 ] || fail "a pod has two places in the journal"
[ -z "$(comm -23 "$work/places.then" "$work/places.now")" ] || fail "a place of before is gone or another"
checked "$then_count acknowledged places stand on their nodes, each once"

replay_equals_the_live_run second
keys_placed second | sed 's,.*/,,' | sort >"$work/placed.second"
cut -f 2 "$work/places.then" | sort >"$work/keys.then"
[ -z "$(comm -12 "$work/placed.second" "$work/keys.then")" ] || fail "an acknowledged pod was placed again"
[ "$(sort -u "$work/placed.second" "$work/keys.then" | wc -l)" = 6000 ] || fail "a pod is missing"
[ -z "$(uniq -d "$work/placed.second")" ] || fail "a pod was placed twice"
checked "the second daemon placed exactly the other $(wc -l <"$work/placed.second") pods, each once"

attempts=$(awk '/ resync-end$/ {print $2; exit}' "$work/second.inputs")
[ "$attempts" = 0 ] || fail "${attempts:-?} attempts before the end of state"
checked "no attempt was made before the shim's end of state"
