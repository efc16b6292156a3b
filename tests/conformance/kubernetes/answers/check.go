package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// A recording is what a scheduler did with a cluster's pending pods: the objects before and after, as `kubectl get -o json`
// has them, and its decisions in their order.
type recording struct {
	Before    []json.RawMessage `json:"before"`
	After     []json.RawMessage `json:"after"`
	Decisions []struct {
		Pod  string `json:"pod"`
		Node string `json:"node"`
	} `json:"decisions"`
}

// Judges each decision of a recording by kube-scheduler's own code, in the cluster that the decisions before it left: the node
// must be one of the best. The last line is `AGREE n of m`.
func check(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var given recording
	if err := json.Unmarshal(text, &given); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	world, err := decoded(given.Before)
	if err != nil {
		return err
	}
	after, err := decoded(given.After)
	if err != nil {
		return err
	}
	agreed := 0
	for _, decision := range given.Decisions {
		pending := world.take(decision.Pod)
		if pending == nil {
			return fmt.Errorf("%s: no pod `%s` is pending before", path, decision.Pod)
		}
		world.pending = pending
		expect, err := answer(world)
		if err != nil {
			return fmt.Errorf("%s: %w", decision.Pod, err)
		}
		if slices.Contains(expect.Best, decision.Node) && expect.Outcome == "scheduled" {
			agreed++
		} else {
			fmt.Printf("%s: node %s, not one of %v (%s)\n", decision.Pod, decision.Node, expect.Best, expect.Outcome)
		}
		bound := pending.DeepCopy()
		bound.Spec.NodeName = decision.Node
		world.pods = append(world.pods, bound)
		world.takeVolumes(bound, after)
	}
	fmt.Printf("AGREE %d of %d\n", agreed, len(given.Decisions))
	if agreed != len(given.Decisions) || agreed == 0 {
		return fmt.Errorf("%d of %d decisions are not kube-scheduler's", len(given.Decisions)-agreed, len(given.Decisions))
	}
	return nil
}

func decoded(items []json.RawMessage) (*cluster, error) {
	world := &cluster{}
	decoder := scheme.Codecs.UniversalDeserializer()
	for _, item := range items {
		object, _, err := decoder.Decode(item, nil, nil)
		if err != nil {
			return nil, err
		}
		switch of := object.(type) {
		case *v1.Node:
			world.nodes = append(world.nodes, of)
		case *v1.Pod:
			world.pods = append(world.pods, of)
		default:
			world.others = append(world.others, object)
		}
	}
	return world, nil
}

// Removes the named pod from the cluster's pods and returns it; nil if it is not there or bound already.
func (world *cluster) take(name string) *v1.Pod {
	for at, pod := range world.pods {
		if pod.Namespace+"/"+pod.Name == name && pod.Spec.NodeName == "" {
			world.pods = append(world.pods[:at:at], world.pods[at+1:]...)
			return pod
		}
	}
	return nil
}

// The pod's claims and their volumes as they are after it was bound.
func (world *cluster) takeVolumes(pod *v1.Pod, after *cluster) {
	for _, volume := range pod.Spec.Volumes {
		if volume.PersistentVolumeClaim == nil {
			continue
		}
		for _, object := range after.others {
			claim, ok := object.(*v1.PersistentVolumeClaim)
			if !ok || claim.Namespace != pod.Namespace || claim.Name != volume.PersistentVolumeClaim.ClaimName {
				continue
			}
			world.replace(claim)
			for _, other := range after.others {
				if of, ok := other.(*v1.PersistentVolume); ok && of.Name == claim.Spec.VolumeName {
					world.replace(of)
				}
			}
		}
	}
}

// Puts an object in the place of the one with its kind and name.
func (world *cluster) replace(object runtime.Object) {
	for at, old := range world.others {
		switch of := object.(type) {
		case *v1.PersistentVolumeClaim:
			if was, ok := old.(*v1.PersistentVolumeClaim); ok && was.Namespace == of.Namespace && was.Name == of.Name {
				world.others[at] = of
			}
		case *v1.PersistentVolume:
			if was, ok := old.(*v1.PersistentVolume); ok && was.Name == of.Name {
				world.others[at] = of
			}
		}
	}
}
