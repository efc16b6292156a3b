#!/bin/sh
# Shims and daemons of different ages: a client of the first released schema (fbs/baseline) against this daemon;
# a client of a schema that is ahead of it (further fields and members, a wider protocol range, all features);
# one that has left our protocol behind. The client is the foreign one, generated from each schema.
# Arguments: BAYPLAND BAYPLAN MAKE_CERTS SCHEMA-DIRECTORY ENVIRONMENT-DIRECTORY
# Exit 77: PyPI cannot be reached.
. "$(dirname "$0")/foreign_client/environment.sh"
make_environment "$5" || { echo "skipped: $environment_fault"; exit 77; }
schema=$4
. "$(dirname "$0")/sessions.sh"
start_daemon daemon

# client GENERATED OPTIONS...: its exit code in $ended.
client() {
    generated=$1
    shift
    ended=0
    PYTHONPATH="$work/$generated" "$python" "$(dirname "$0")/foreign_client/shim.py" 127.0.0.1 "$port" \
        --ca "$work/certs/ca.pem" --cert "$work/certs/shim-a.pem" --key "$work/certs/shim-a.key" \
        --nodes 20 --pods 200 "$@" >"$work/client.json" 2>"$work/client.log" || ended=$?
}

generate_code "$schema/baseline" "$work/first" || fail "no Python code from the first schema"
client first
[ "$ended" = 0 ] || fail "the client of the first schema ended with $ended"
expect client.json placed 200
expect client.json protocol 1
expect client.json features 0
checked "a client of the first released schema is served; it is granted no feature that it did not ask for"

# As a later release may be: what fbs/README.md allows to be added.
mkdir "$work/next.fbs"
cp "$schema"/*.fbs "$work/next.fbs"
sed -i '/^table Hello {/,/^}/ s,^},  of_tomorrow:string;\n},' "$work/next.fbs/session.fbs"
sed -i '/^table Ask {/,/^}/ s,^},  of_tomorrow:string;\n},' "$work/next.fbs/allocation.fbs"
sed -i 's,^  Counters\,$,  Counters\,\n  TextPair\,,' "$work/next.fbs/shim.fbs"
for file in session allocation shim; do
    cmp -s "$schema/$file.fbs" "$work/next.fbs/$file.fbs" && fail "the next $file.fbs is the present one"
done
generate_code "$work/next.fbs" "$work/next" || fail "no Python code from the next schema"
client next --protocol-max 9 --features 4294967295 --hello-field ofTomorrow=something \
    --ask-field ofTomorrow=something
[ "$ended" = 0 ] || fail "the client of the next schema ended with $ended"
expect client.json placed 200
expect client.json protocol 1
# All but events and dumps of a shim: they are for readers of REST, which does not listen here.
expect client.json features 767
checked "a client ahead of this daemon is served by protocol 1, and told which of its features there are"

client next --protocol-min 2 --protocol-max 9
[ "$ended" = 1 ] || fail "a client without our protocol ended with $ended"
grep -q 'no common protocol: this daemon speaks 1 to 1, the shim 2 to 9' "$work/client.log" ||
    fail "the refusal does not say why"
checked "without a common protocol: $(tail -n 1 "$work/client.log")"
stop_daemon
