// The loads that the suite has in common with scheduler_perf, with the same nodes, pods and pods before.
package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const (
	zone     = "topology.kubernetes.io/zone"
	hostname = "kubernetes.io/hostname"
	first    = "sched-0" // the namespace of the pods before
	second   = "sched-1" // and of the measured ones
)

type kind func(*v1.Pod)

type load struct {
	name         string
	zones        int
	beforeKind   kind
	before       int // at 5,000 nodes
	measuredKind kind
	measured     int
}

var loads = []load{
	{"SchedulingBasic", 0, plain, 0, plain, 10000},
	{"SchedulingPodAntiAffinity", 3, antiAffinity, 1000, antiAffinity, 2000},
	{"SchedulingPodAffinity", 3, affinity, 5000, affinity, 5000},
	{"TopologySpreading", 3, plain, 5000, hardSpread, 5000},
	{"PreferredTopologySpreading", 3, plain, 5000, softSpread, 5000},
	{"SchedulingPreferredPodAffinity", 3, preferredAffinity, 5000, preferredAffinity, 5000},
	{"SchedulingPreferredPodAntiAffinity", 3, preferredAntiAffinity, 5000, preferredAntiAffinity, 5000},
	{"SchedulingNodeAffinity", 3, plain, 5000, nodeAffinity, 10000},
}

func find(name string) (load, bool) {
	for _, of := range loads {
		if of.name == name {
			return of, true
		}
	}
	return load{}, false
}

func nodeName(at int) string { return fmt.Sprintf("node-%05d", at) }

func (of load) node(at int) *v1.Node {
	labels := map[string]string{hostname: nodeName(at)}
	if of.zones > 0 {
		labels[zone] = fmt.Sprintf("zone%d", at%of.zones+1)
	}
	return &v1.Node{ObjectMeta: meta.ObjectMeta{Name: nodeName(at), Labels: labels}, Status: v1.NodeStatus{
		Allocatable: v1.ResourceList{v1.ResourceCPU: resource.MustParse("4"), v1.ResourceMemory: resource.MustParse("32Gi"), v1.ResourcePods: resource.MustParse("110")}}}
}

func (of load) pod(namespace, name string, as kind) *v1.Pod {
	priority := int32(0)
	pod := &v1.Pod{ObjectMeta: meta.ObjectMeta{Name: name, Namespace: namespace, UID: types.UID(name), Labels: map[string]string{}},
		Spec: v1.PodSpec{SchedulerName: v1.DefaultSchedulerName, Priority: &priority, Containers: []v1.Container{{Name: "pause", Image: "registry.k8s.io/pause:3.10",
			Resources: v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("100m"), v1.ResourceMemory: resource.MustParse("500Mi")}}}}}}
	as(pod)
	return pod
}

func colored(color string) *meta.LabelSelector {
	return &meta.LabelSelector{MatchLabels: map[string]string{"color": color}}
}

func near(color, key string) v1.PodAffinityTerm {
	return v1.PodAffinityTerm{LabelSelector: colored(color), TopologyKey: key, Namespaces: []string{second, first}}
}

func plain(*v1.Pod) {}

func antiAffinity(pod *v1.Pod) {
	pod.Labels["color"], pod.Labels["name"] = "green", "test"
	pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{near("green", hostname)}}}
}

func affinity(pod *v1.Pod) {
	pod.Labels["color"] = "blue"
	pod.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{near("blue", zone)}}}
}

func preferredAffinity(pod *v1.Pod) {
	pod.Labels["color"] = "red"
	pod.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 1, PodAffinityTerm: near("red", hostname)}}}}
}

func preferredAntiAffinity(pod *v1.Pod) {
	pod.Labels["color"] = "yellow"
	pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 1, PodAffinityTerm: near("yellow", hostname)}}}}
}

func hardSpread(pod *v1.Pod) { spread(pod, v1.DoNotSchedule) }
func softSpread(pod *v1.Pod) { spread(pod, v1.ScheduleAnyway) }

func spread(pod *v1.Pod, when v1.UnsatisfiableConstraintAction) {
	pod.Labels["color"] = "blue"
	pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: 5, TopologyKey: zone, WhenUnsatisfiable: when, LabelSelector: colored("blue")}}
}

func nodeAffinity(pod *v1.Pod) {
	pod.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
		NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
			{Key: zone, Operator: v1.NodeSelectorOpIn, Values: []string{"zone1", "zone2"}}}}}}}}
}
