// kube-scheduler's own scheduling cycle, in process: nodes and pods of a load of the suite are in its cache, and one pod after
// another is judged, scored and assumed, as its loop does it, without an API server and without binding. That is less than
// kube-scheduler has to do in a cluster, and what `bayplan bench` measures of Bayplan.
//
// Prints one JSON object: the load, decisions, seconds by the wall and of CPU. compare runs it beside bayplan.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

type figures struct {
	Load      string  `json:"load"`
	Nodes     int     `json:"nodes"`
	Decisions int     `json:"decisions"`
	Seconds   float64 `json:"seconds"`
	CPU       float64 `json:"cpu_seconds"`
}

func main() {
	name := flag.String("load", "SchedulingBasic", "a load of the suite")
	nodes := flag.Int("nodes", 5000, "nodes of the cluster")
	pods := flag.Int("pods", 0, "decisions to measure (as the load has it)")
	share := flag.Int("score", 100, "percentage of nodes to score; 0: kube-scheduler chooses by the number of nodes")
	list := flag.Bool("list", false, "print the names of the loads")
	flag.Parse()
	if *list {
		for _, of := range loads {
			fmt.Println(of.name)
		}
		return
	}
	of, ok := find(*name)
	if !ok {
		fail(fmt.Errorf("no load `%s`; see --list", *name))
	}
	measured, err := run(of, *nodes, *pods, int32(*share))
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(measured); err != nil {
		fail(err)
	}
}

func run(of load, nodes, pods int, share int32) (*figures, error) {
	metrics.Register()
	klog.SetLogger(klog.Logger{})
	if err := utilfeature.DefaultMutableFeatureGate.Set("SchedulerAsyncPreemption=false,SchedulerAsyncAPICalls=false"); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := fake.NewClientset()
	sched, err := scheduler.New(ctx, client, scheduler.NewInformerFactory(client, 0), nil,
		profile.NewRecorderFactory(events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})),
		scheduler.WithPercentageOfNodesToScore(&share))
	if err != nil {
		return nil, err
	}
	fill(sched, of, nodes)
	if pods == 0 {
		pods = of.measured
	}
	waiting := make([]*v1.Pod, pods)
	for at := range waiting {
		waiting[at] = of.pod(second, fmt.Sprintf("measured-%d", at), of.measuredKind)
	}
	runtime.GC()
	began, cpu := time.Now(), cpuSeconds()
	for _, pod := range waiting {
		if err := place(ctx, sched, pod); err != nil {
			return nil, err
		}
	}
	return &figures{of.name, nodes, pods, time.Since(began).Seconds(), cpuSeconds() - cpu}, nil
}

// Nodes and pods go straight into the scheduler's cache: a client's watches cost nothing here.
func fill(sched *scheduler.Scheduler, of load, nodes int) {
	logger := klog.Background()
	for at := range nodes {
		sched.Cache.AddNode(logger, of.node(at))
	}
	for at := range of.before * nodes / 5000 {
		pod := of.pod(first, fmt.Sprintf("before-%d", at), of.beforeKind)
		// One after another over all nodes: no two of them on one node, whatever they exclude.
		pod.Spec.NodeName = nodeName(at % nodes)
		if err := sched.Cache.AddPod(logger, pod); err != nil {
			fail(err)
		}
	}
}

func place(ctx context.Context, sched *scheduler.Scheduler, pod *v1.Pod) error {
	fw := sched.Profiles[v1.DefaultSchedulerName]
	state := framework.NewCycleState()
	result, err := sched.SchedulePod(ctx, fw, state, pod)
	var unfit *framework.FitError
	if errors.As(err, &unfit) {
		return fmt.Errorf("%s fits nowhere: %w", pod.Name, err)
	} else if err != nil {
		return err
	}
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = result.SuggestedHost
	if err := sched.Cache.AssumePod(klog.Background(), assumed); err != nil {
		return err
	}
	if status := fw.RunReservePluginsReserve(ctx, state, assumed, result.SuggestedHost); !status.IsSuccess() {
		return status.AsError()
	}
	return nil
}

func cpuSeconds() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		fail(err)
	}
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "kube_scheduler:", err)
	os.Exit(1)
}
