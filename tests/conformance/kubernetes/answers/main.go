// Makes the cases of this folder anew: random small clusters with one pending pod each, and what kube-scheduler's own code
// says of that pod. The clusters are ours (clusters.go, features.go); nothing of the semantics is written here (answer.go).
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
)

// A topic is a file of cases: features that a cluster of it always has, and others that it may have.
type topic struct {
	name     string
	always   []feature
	may      []feature
	outcomes map[string]float64 // the largest share of each outcome, so that no file is of one kind
}

var topics = []topic{
	{"resources", []feature{requests}, nil, map[string]float64{"scheduled": 0.6}},
	{"taints", []feature{requests, taints}, nil, map[string]float64{"scheduled": 0.6}},
	{"node_affinity", []feature{requests, nodeAffinity}, nil, map[string]float64{"scheduled": 0.6}},
	{"ports", []feature{ports}, []feature{requests}, map[string]float64{"scheduled": 0.6}},
	{"spread", []feature{spread}, []feature{requests}, map[string]float64{"scheduled": 0.6}},
	{"pod_affinity", []feature{podAffinity}, []feature{requests}, map[string]float64{"scheduled": 0.6}},
	{"volumes", []feature{volumes}, []feature{requests}, map[string]float64{"scheduled": 0.6}},
	{"images", []feature{requests, images}, nil, map[string]float64{}},
	{"preemption", []feature{requests, priorities}, []feature{budgets, taints, podAffinity},
		map[string]float64{"scheduled": 0.1, "unschedulable": 0.3}},
	{"mixed", []feature{requests}, []feature{taints, nodeAffinity, ports, spread, podAffinity, volumes, images, priorities, budgets},
		map[string]float64{"scheduled": 0.5}},
}

func main() {
	seed := flag.Int64("seed", 1, "of the random numbers")
	count := flag.Int("cases", 30, "per file")
	only := flag.String("topic", "", "make this file alone")
	out := flag.String("out", "cases", "the folder that the files go to")
	recorded := flag.String("check", "", "make no cases: judge the decisions of this recording (check.go)")
	flag.Parse()
	if *recorded != "" {
		if err := check(*recorded); err != nil {
			fail(err)
		}
		return
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		fail(err)
	}
	for at, of := range topics {
		if *only != "" && *only != of.name {
			continue
		}
		if err := write(filepath.Join(*out, of.name+".json"), cases(of, *seed*1000+int64(at), *count)); err != nil {
			fail(err)
		}
	}
}

// Cases that come out alike in every order of their objects: where chance decides there is no answer to compare.
func cases(of topic, seed int64, wanted int) []testCase {
	random := rand.New(rand.NewSource(seed))
	have := map[string]int{}
	var made []testCase
	for tried := 0; len(made) < wanted; tried++ {
		if tried > 200*wanted {
			fail(fmt.Errorf("%s: %d of %d cases after %d tries", of.name, len(made), wanted, tried))
		}
		world := newCluster(random)
		for _, add := range of.always {
			add(random, world)
		}
		for _, add := range of.may {
			if random.Intn(3) == 0 {
				add(random, world)
			}
		}
		expect, err := answer(world)
		if err != nil || tooMany(of, have, expect.Outcome, wanted) || !same(expect, world, random) {
			continue
		}
		have[expect.Outcome]++
		made = append(made, testCase{fmt.Sprintf("%s-%03d", of.name, len(made)+1), world.items(), "default/" + world.pending.Name, expect})
		fmt.Fprintf(os.Stderr, "\r%s %d of %d ", of.name, len(made), wanted)
	}
	fmt.Fprintln(os.Stderr, have)
	return made
}

func tooMany(of topic, have map[string]int, outcome string, wanted int) bool {
	share, limited := of.outcomes[outcome]
	return limited && float64(have[outcome]+1) > share*float64(wanted)
}

func same(expect *expectation, world *cluster, random *rand.Rand) bool {
	for turn := 0; turn < 4; turn++ {
		world.shuffle(random)
		again, err := answer(world)
		if err != nil || !reflect.DeepEqual(expect, again) {
			return false
		}
	}
	return true
}

// One case a line: what changed can be seen.
func write(path string, made []testCase) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	text := bufio.NewWriter(file)
	for at, one := range made {
		line, err := json.Marshal(one)
		if err != nil {
			return err
		}
		fmt.Fprintf(text, "%s%s", map[bool]string{true: "[", false: ",\n"}[at == 0], line)
	}
	fmt.Fprintln(text, "]")
	if err := text.Flush(); err != nil {
		return err
	}
	return file.Close()
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "answers:", err)
	os.Exit(1)
}
