#!/bin/sh
# The commands as people type them, for what no unit test sees: how options are wired and how they end.
# Arguments: bayplan, the directory of profiles.
set -eu
bayplan=$1
profiles=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

# ends STATUSES COMMAND...: with one of them; output in $work/out, complaints in $work/err.
ends() {
    wanted=$1
    shift
    ended=0
    "$@" >"$work/out" 2>"$work/err" || ended=$?
    case " $wanted " in *" $ended "*) ;; *) fail "'$*' ended with $ended, not $wanted: $(cat "$work/err")" ;; esac
}

# --- every profile is judged; what is none is refused with its place.
for profile in "$profiles"/*.yaml; do
    ends "0 1" "$bayplan" check --profile "$profile"
    ends "0 1" "$bayplan" check --profile "$profile" -o json
    python3 -m json.tool "$work/out" >/dev/null || fail "check -o json of $profile is no JSON"
done
printf 'engine: 0\nengien: 1\n' >"$work/broken.yaml"
ends 2 "$bayplan" check --profile "$work/broken.yaml"
grep -q 'broken.yaml:2:' "$work/err" || fail "a broken profile is refused without its place: $(cat "$work/err")"
ends 2 "$bayplan" check --profile "$work/missing.yaml"
echo "checked: every profile is judged, a broken one refused with its place"

# --- a queues.yaml: sound, faulty with every fault in its place, missing.
queues='partitions:\n- name: default\n  queues:\n  - name: root\n    queues:\n'
printf "$queues"'    - name: a\n' >"$work/queues.yaml"
ends 0 "$bayplan" config validate "$work/queues.yaml"
grep -q 'partition default: 2 queues' "$work/out" || fail "a sound queues.yaml has no summary: $(cat "$work/out")"
ends 0 "$bayplan" config validate "$work/queues.yaml" -o json
grep -q '"faults":\[\],"partitions":\[{"name":"default","queues":2,"leaves":1,' "$work/out" || fail "as JSON: $(cat "$work/out")"
printf "$queues"'    - name: a b\n      maxapplications: -1\n' >"$work/queues.yaml"
ends 1 "$bayplan" config validate "$work/queues.yaml"
for place in 'queues.yaml:6:13:' 'queues.yaml:7:24:'; do
    grep -q "$place" "$work/out" || fail "no fault at $place: $(cat "$work/out")"
done
ends 1 "$bayplan" config validate "$work/queues.yaml" -o json
python3 -c 'import json, sys; assert [one["line"] for one in json.load(open(sys.argv[1]))["faults"]] == [6, 7]' "$work/out" ||
    fail "faults as JSON: $(cat "$work/out")"
ends 2 "$bayplan" config validate "$work/missing.yaml"
echo "checked: a queues.yaml is judged with every fault in its place"

# --- a proposal is a profile; what is applied to a copy of a host can be undone.
ends 0 "$bayplan" tune
cp "$work/out" "$work/proposed.yaml"
ends "0 1" "$bayplan" check --profile "$work/proposed.yaml"
host=$work/host
pages=$host/sys/kernel/mm/hugepages/hugepages-2048kB
mkdir -p "$pages" "$host/proc"
printf 0 >"$pages/nr_hugepages"
printf 0 >"$pages/free_hugepages"
printf 'engine: 0\nhost: {hugepages: 64Mi}\n' >"$work/wants.yaml"
cp -r "$host" "$work/before"
ends 0 "$bayplan" tune --apply --profile "$work/wants.yaml" --root "$host" --state "$work/state"
grep -qx 32 "$pages/nr_hugepages" || fail "64 MiB are not 32 pages: $(cat "$work/out")"
ends 0 "$bayplan" tune --undo --root "$host" --state "$work/state"
diff -r "$work/before" "$host" || fail "not everything was undone"
echo "checked: a proposal can be checked, and what was applied is undone"

# --- the suite.
ends 0 "$bayplan" bench --list
grep -q '^ *SchedulingBasic/5000Nodes_50000Pods ' "$work/out" || fail "bench --list does not list"
ends 0 "$bayplan" bench SchedulingBasic/500Nodes_1000Pods --runs 1 -o json --svg "$work/bars.svg"
python3 - "$work/out" "$work/bars.svg" <<'END'
import json, sys, xml.etree.ElementTree as tree
[row] = json.load(open(sys.argv[1]))
assert row["placed"] == 1000 and row["fault"] is None, row
assert tree.parse(sys.argv[2]).getroot().tag.endswith("svg")
END
ends 2 "$bayplan" bench NoSuchLoad
ends 2 "$bayplan" no-such-command
ends 0 "$bayplan" --help
for command in apps bench check events explain forget-shim load nodes ping queues replay simulate top tune; do
    grep -q "^ *$command " "$work/out" || fail "--help does not name $command"
    "$bayplan" "$command" --help >/dev/null || fail "$command has no --help"
done
echo "checked: the suite lists, measures and draws; every command has its help"
