// What kube-scheduler says of a cluster's pending pod: its own framework, plugins and preemption run over a client that
// holds the objects in memory. Preemption acts at once and nothing is batched, which changes no answer.
package main

import (
	"context"
	"errors"
	"fmt"
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

type testCase struct {
	Name    string       `json:"name"`
	Cluster []any        `json:"cluster"` // as `kubectl get -o json` has them
	Pod     string       `json:"pod"`
	Expect  *expectation `json:"expect"`
}

type expectation struct {
	Outcome   string                 `json:"outcome"`             // scheduled, nominated or unschedulable
	Message   string                 `json:"message,omitempty"`   // of the pod's condition, if it is not scheduled
	Nodes     map[string]*nodeAnswer `json:"nodes"`               // every node
	Best      []string               `json:"best,omitempty"`      // of the highest total
	Nominated string                 `json:"nominated,omitempty"` // the node that preemption makes room on
	Victims   []string               `json:"victims,omitempty"`   // sorted
}

type nodeAnswer struct {
	Verdict   string           `json:"verdict"` // feasible, unschedulable (preemption may help) or unresolvable
	Predicate string           `json:"predicate,omitempty"`
	Reasons   []string         `json:"reasons,omitempty"`
	Scores    map[string]int64 `json:"scores,omitempty"` // weighted, by plugin
	Total     int64            `json:"total"`
}

func init() {
	metrics.Register()
	klog.SetLogger(klog.Logger{})
	if err := utilfeature.DefaultMutableFeatureGate.Set("SchedulerAsyncPreemption=false,SchedulerAsyncAPICalls=false,OpportunisticBatching=false"); err != nil {
		fail(err)
	}
}

func answer(world *cluster) (*expectation, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := fake.NewClientset(world.objects()...)
	sched, fw, err := start(ctx, client)
	if err != nil {
		return nil, err
	}
	_, err = sched.SchedulePod(ctx, fw, framework.NewCycleState(), world.pending)
	expect := &expectation{Outcome: "scheduled"}
	var unfit *framework.FitError
	if errors.As(err, &unfit) {
		if err := preempt(ctx, client, sched, fw, world.pending, expect); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	return expect, judge(ctx, fw, world.pending, expect)
}

func start(ctx context.Context, client *fake.Clientset) (*scheduler.Scheduler, framework.Framework, error) {
	informers := scheduler.NewInformerFactory(client, 0)
	all := int32(100)
	sched, err := scheduler.New(ctx, client, informers, nil,
		profile.NewRecorderFactory(events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})),
		scheduler.WithPercentageOfNodesToScore(&all))
	if err != nil {
		return nil, nil, err
	}
	informers.Start(ctx.Done())
	informers.WaitForCacheSync(ctx.Done())
	if err := sched.WaitForHandlersSync(ctx); err != nil {
		return nil, nil, err
	}
	return sched, sched.Profiles["default-scheduler"], nil
}

// The cycle of a pod that fits nowhere, as the scheduler's loop has it.
func preempt(ctx context.Context, client *fake.Clientset, sched *scheduler.Scheduler, fw framework.Framework, pod *v1.Pod, expect *expectation) error {
	state := framework.NewCycleState()
	_, err := sched.SchedulePod(ctx, fw, state, pod)
	var unfit *framework.FitError
	if !errors.As(err, &unfit) {
		return errors.New("the second try came out otherwise")
	}
	client.ClearActions()
	result, status := fw.RunPostFilterPlugins(ctx, state, pod, unfit.Diagnosis.NodeToStatus)
	if status.Code() == fwk.Error {
		return status.AsError()
	}
	unfit.Diagnosis.PostFilterMsg = status.Message()
	expect.Outcome, expect.Message = "unschedulable", unfit.Error()
	if result != nil && result.NominatingInfo != nil && result.NominatingInfo.NominatedNodeName != "" {
		expect.Outcome, expect.Nominated = "nominated", result.NominatingInfo.NominatedNodeName
		expect.Victims = deleted(client)
	}
	return nil
}

func deleted(client *fake.Clientset) []string {
	gone := sets.New[string]()
	for _, action := range client.Actions() {
		if removal, ok := action.(clienttesting.DeleteAction); ok && action.Matches("delete", "pods") {
			gone.Insert(removal.GetNamespace() + "/" + removal.GetName())
		}
	}
	return sets.List(gone)
}

// Filters and scores of every node. The snapshot is the one of the cycle before.
func judge(ctx context.Context, fw framework.Framework, pod *v1.Pod, expect *expectation) error {
	state := framework.NewCycleState()
	nodes, err := fw.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return err
	}
	narrowed, status, plugins := fw.RunPreFilterPlugins(ctx, state, pod)
	if !status.IsSuccess() && !status.IsRejected() {
		return status.AsError()
	}
	expect.Nodes = map[string]*nodeAnswer{}
	var feasible []fwk.NodeInfo
	for _, node := range nodes {
		name := node.Node().Name
		verdict := status
		if status.IsSuccess() {
			verdict = filter(ctx, fw, state, pod, node, narrowed, plugins)
		}
		expect.Nodes[name] = told(verdict)
		if verdict.IsSuccess() {
			feasible = append(feasible, node)
		} else if !verdict.IsRejected() {
			return verdict.AsError()
		}
	}
	return score(ctx, fw, state, pod, feasible, expect)
}

func filter(ctx context.Context, fw framework.Framework, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo, narrowed *fwk.PreFilterResult, plugins sets.Set[string]) *fwk.Status {
	if !narrowed.AllNodes() && !narrowed.NodeNames.Has(node.Node().Name) {
		names := sets.List(plugins)
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", names)).WithPlugin(names[0])
	}
	return fw.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)
}

func told(verdict *fwk.Status) *nodeAnswer {
	if verdict.IsSuccess() {
		return &nodeAnswer{Verdict: "feasible"}
	}
	answer := &nodeAnswer{Verdict: "unschedulable", Predicate: verdict.Plugin(), Reasons: verdict.Reasons()}
	if verdict.Code() == fwk.UnschedulableAndUnresolvable {
		answer.Verdict = "unresolvable"
	}
	sort.Strings(answer.Reasons)
	return answer
}

func score(ctx context.Context, fw framework.Framework, state fwk.CycleState, pod *v1.Pod, feasible []fwk.NodeInfo, expect *expectation) error {
	if len(feasible) == 0 {
		return nil
	}
	if status := fw.RunPreScorePlugins(ctx, state, pod, feasible); !status.IsSuccess() {
		return status.AsError()
	}
	scored, status := fw.RunScorePlugins(ctx, state, pod, feasible)
	if !status.IsSuccess() {
		return status.AsError()
	}
	most := int64(-1)
	for _, node := range scored {
		told := expect.Nodes[node.Name]
		told.Total, told.Scores = node.TotalScore, map[string]int64{}
		for _, plugin := range node.Scores {
			told.Scores[plugin.Name] = plugin.Score
		}
		if node.TotalScore > most {
			most, expect.Best = node.TotalScore, nil
		}
		if node.TotalScore == most {
			expect.Best = append(expect.Best, node.Name)
		}
	}
	sort.Strings(expect.Best)
	return nil
}
