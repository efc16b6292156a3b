// A small random cluster: nodes in zones, running pods of a few applications, and one pod that is to be placed.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"time"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

const (
	zone     = "topology.kubernetes.io/zone"
	hostname = "kubernetes.io/hostname"
	gpu      = "example.com/gpu"
)

type feature func(*rand.Rand, *cluster)

type cluster struct {
	nodes   []*v1.Node
	pods    []*v1.Pod // running, or waiting with a nomination
	pending *v1.Pod
	others  []runtime.Object
}

func newCluster(random *rand.Rand) *cluster {
	world := &cluster{others: []runtime.Object{
		&v1.Namespace{ObjectMeta: meta.ObjectMeta{Name: "default", Labels: map[string]string{"team": "a"}}},
		&v1.Namespace{ObjectMeta: meta.ObjectMeta{Name: "other", Labels: map[string]string{"team": "b"}}},
	}}
	for at := range 3 + random.Intn(4) {
		world.addNode(random, fmt.Sprintf("node-%d", at+1))
	}
	for at := range 3 + random.Intn(8) {
		pod := newPod(random, fmt.Sprintf("running-%d", at+1))
		if random.Intn(4) == 0 {
			pod.Namespace = "other"
		}
		pod.Spec.NodeName = pick(random, world.nodes).Name
		pod.Status.Phase = v1.PodRunning
		started := meta.NewTime(time.Date(2026, 1, 1, 0, random.Intn(10), at, 0, time.UTC))
		pod.Status.StartTime = &started
		world.pods = append(world.pods, pod)
	}
	world.pending = newPod(random, "pending")
	world.pending.Status.Phase = v1.PodPending
	return world
}

func (world *cluster) addNode(random *rand.Rand, name string) {
	labels := map[string]string{hostname: name, "disk": pick(random, []string{"ssd", "hdd"}), "generation": fmt.Sprint(1 + random.Intn(9))}
	if random.Intn(6) > 0 {
		labels[zone] = pick(random, []string{"a", "b", "c"})
	}
	world.nodes = append(world.nodes, &v1.Node{
		ObjectMeta: meta.ObjectMeta{Name: name, Labels: labels},
		Status: v1.NodeStatus{Allocatable: v1.ResourceList{
			v1.ResourceCPU:    resource.MustParse(pick(random, []string{"2", "4", "3500m", "8"})),
			v1.ResourceMemory: resource.MustParse(pick(random, []string{"4Gi", "8Gi", "7500Mi", "16G"})),
			v1.ResourcePods:   resource.MustParse(pick(random, []string{"4", "10", "110"})),
		}},
	})
}

func newPod(random *rand.Rand, name string) *v1.Pod {
	priority := int32(0)
	return &v1.Pod{
		ObjectMeta: meta.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("uid-" + name),
			Labels: map[string]string{"app": pick(random, []string{"web", "db", "batch"}), "tier": pick(random, []string{"1", "2"})}},
		Spec: v1.PodSpec{SchedulerName: "default-scheduler", Priority: &priority,
			Containers: []v1.Container{{Name: "main", Image: "registry.example/main:1"}}},
	}
}

func (world *cluster) objects() []runtime.Object {
	list := append([]runtime.Object{}, world.others...)
	for _, node := range world.nodes {
		list = append(list, node)
	}
	for _, pod := range world.pods {
		list = append(list, pod)
	}
	return append(list, world.pending)
}

func (world *cluster) shuffle(random *rand.Rand) {
	random.Shuffle(len(world.nodes), func(i, j int) { world.nodes[i], world.nodes[j] = world.nodes[j], world.nodes[i] })
	random.Shuffle(len(world.pods), func(i, j int) { world.pods[i], world.pods[j] = world.pods[j], world.pods[i] })
}

// The objects as kubectl prints them, without fields that are empty in every object.
func (world *cluster) items() []any {
	var list []any
	for _, object := range world.objects() {
		text, err := json.Marshal(object)
		if err != nil {
			fail(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(text, &fields); err != nil {
			fail(err)
		}
		fields["apiVersion"], fields["kind"] = kindOf(object)
		for _, name := range []string{"status", "spec"} {
			if inner, ok := fields[name].(map[string]any); ok && len(inner) == 0 {
				delete(fields, name)
			}
		}
		delete(fields["metadata"].(map[string]any), "creationTimestamp")
		if status, ok := fields["status"].(map[string]any); ok {
			delete(status, "nodeInfo")
			delete(status, "daemonEndpoints")
		}
		list = append(list, fields)
	}
	return list
}

func kindOf(object runtime.Object) (version, kind string) {
	switch object.(type) {
	case *v1.Namespace:
		return "v1", "Namespace"
	case *v1.Node:
		return "v1", "Node"
	case *v1.Pod:
		return "v1", "Pod"
	case *v1.PersistentVolume:
		return "v1", "PersistentVolume"
	case *v1.PersistentVolumeClaim:
		return "v1", "PersistentVolumeClaim"
	case *v1.Service:
		return "v1", "Service"
	case *storage.StorageClass:
		return "storage.k8s.io/v1", "StorageClass"
	case *storage.CSINode:
		return "storage.k8s.io/v1", "CSINode"
	case *policy.PodDisruptionBudget:
		return "policy/v1", "PodDisruptionBudget"
	}
	fail(fmt.Errorf("no kind for %T", object))
	return "", ""
}

func pick[T any](random *rand.Rand, from []T) T { return from[random.Intn(len(from))] }

// One of the pods that run, or the one that is to be placed.
func (world *cluster) anyPod(random *rand.Rand) *v1.Pod {
	if random.Intn(2) == 0 {
		return world.pending
	}
	return pick(random, world.pods)
}
