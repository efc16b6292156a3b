#!/bin/bash
# tuning/quickstart as people call it: each option does what its help says, in namespaces where they are allowed.
# Usage: quickstart.sh BUILD-DIRECTORY SOURCE-DIRECTORY
set -u
build=$1 top=$2
work=$(mktemp -d)
kept=
finish() {
  [ -z "$kept" ] || kill -9 "$kept" 2>/dev/null
  rm -rf "$work"
}
trap finish EXIT
cd "$work" || exit 1
fail() { echo "FAILED: $*"; tail -40 "$work/out" 2>/dev/null; exit 1; }
quickstart() { "$top/tuning/quickstart" --built "$build" "$@" >"$work/out" 2>&1; }
small=(-- --workload SchedulingBasic/500Nodes_1000Pods)
placed() { grep -c "^placed  *1000$" "$work/out"; }

quickstart --json report.json "${small[@]}" || fail "it ended with $?"
[ "$(placed)" = 2 ] || fail "not placed twice"
rate=$(sed -n 's/.*"pods_per_s": *\([0-9]*\).*/\1/p' report.json)
grep -q "half of that rate, $((rate / 2)) asks per second" out || fail "the paced run has another rate than half of $rate"
[ -s report.json.paced ] || fail "no report of the paced run"
echo "ok: a flood, and the same at half of its rate, into files of the caller's folder"

quickstart --no-paced --record run.record --profile "$top/tuning/profiles/any.yaml" "${small[@]}" || fail "it ended with $?"
[ "$(placed)" = 1 ] || fail "not placed once"
digest=$(sed -n 's/^digest  *//p' out)
"$build/src/cli/bayplan" replay run.record >replayed 2>&1 || fail "replay ended with $?: $(cat replayed)"
grep -q "$digest" replayed || fail "the replay has not the digest $digest: $(cat replayed)"
echo "ok: --record writes a run that replays to the digest that was reported; --profile; --no-paced"

quickstart --record paced.record "${small[@]}" || fail "it ended with $?"
"$build/src/cli/bayplan" replay paced.record >replayed 2>&1 || fail "replay of both loads ended with $?"
grep -q "$(sed -n 's/^digest  *//p' out | tail -1)" replayed || fail "the replay of both loads has another digest"
echo "ok: both loads are in one record"

printf 'sn,cpu_milli,memory_mib,gpu\nn1,8000,16384,0\nn2,8000,16384,0\n' >nodes.csv
printf 'name,cpu_milli,memory_mib,num_gpu,gpu_milli\np1,1000,1024,0,0\np2,6000,1024,0,0\np3,8000,1024,0,0\n' >pods.csv
quickstart --port kernel --no-paced -- --openb nodes.csv pods.csv || fail "it ended with $?"
grep -q "^placed  *2$" out && grep -q "^unplaced  *1$" out || fail "a trace of three pods, of which two fit"
echo "ok: a trace from the caller's folder"

quickstart --port kernel --no-paced --keep "${small[@]}" || fail "it ended with $?"
kept=$(sed -n 's/.*(pid \([0-9]*\);.*/\1/p' out)
kill -0 "$kept" 2>/dev/null || fail "--keep kept no daemon"
again=$(sed -n 's/^  again  *//p' out)
$again >again.out 2>&1 || fail "the way to reach it that --keep tells: $(cat again.out)"
grep -q "^placed  *10000$" again.out || fail "the kept daemon did not place: $(cat again.out)"
kill "$kept"
for _ in $(seq 100); do kill -0 "$kept" 2>/dev/null || break; sleep 0.1; done
kill -0 "$kept" 2>/dev/null && fail "the kept daemon does not end"
kept=
echo "ok: --keep leaves a daemon that can be reached and stopped as it says"

quickstart --port ring "${small[@]}" || fail "it ended with $?"
[ "$(placed)" = 2 ] || fail "not placed twice through rings"
quickstart --port nosuch; [ $? = 2 ] || fail "a wrong port is not refused with 2"
quickstart --json; [ $? = 2 ] || fail "an option without its value is not refused with 2"
echo "ok: rings; wrong words are refused"
