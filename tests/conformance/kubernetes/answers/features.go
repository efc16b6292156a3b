// What a cluster may have besides nodes and pods; each feature adds to some of its objects at random.
package main

import (
	"fmt"
	"math/rand"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func requests(random *rand.Rand, world *cluster) {
	for _, node := range world.nodes {
		if random.Intn(4) == 0 {
			node.Status.Allocatable[gpu] = resource.MustParse(pick(random, []string{"1", "2", "8"}))
		}
	}
	for _, pod := range append([]*v1.Pod{world.pending}, world.pods...) {
		pod.Spec.Containers[0].Resources.Requests = someRequests(random, pod == world.pending)
		if random.Intn(5) == 0 {
			always := v1.ContainerRestartPolicyAlways
			first := v1.Container{Name: "first", Image: "registry.example/first:1"}
			first.Resources.Requests = someRequests(random, false)
			if random.Intn(2) == 0 {
				first.RestartPolicy = &always
			}
			pod.Spec.InitContainers = []v1.Container{first}
		}
		if random.Intn(8) == 0 {
			pod.Spec.Overhead = v1.ResourceList{v1.ResourceCPU: resource.MustParse("250m"), v1.ResourceMemory: resource.MustParse("64Mi")}
		}
	}
}

func someRequests(random *rand.Rand, large bool) v1.ResourceList {
	cpu, memory := []string{"100m", "250m", "0.5", "1", "1500m"}, []string{"128Mi", "500M", "1Gi", "2Gi"}
	if large {
		cpu, memory = []string{"100m", "1", "2", "2500m", "3"}, []string{"256Mi", "1Gi", "3Gi", "5G"}
	}
	list := v1.ResourceList{}
	if random.Intn(6) > 0 {
		list[v1.ResourceCPU] = resource.MustParse(pick(random, cpu))
	}
	if random.Intn(6) > 0 {
		list[v1.ResourceMemory] = resource.MustParse(pick(random, memory))
	}
	if large && random.Intn(6) == 0 {
		list[gpu] = resource.MustParse(pick(random, []string{"1", "2"}))
	}
	if random.Intn(10) == 0 {
		list[v1.ResourceEphemeralStorage] = resource.MustParse("1Gi")
	}
	return list
}

func taints(random *rand.Rand, world *cluster) {
	effects := []v1.TaintEffect{v1.TaintEffectNoSchedule, v1.TaintEffectPreferNoSchedule, v1.TaintEffectNoExecute}
	for _, node := range world.nodes {
		for range random.Intn(3) {
			taint := v1.Taint{Key: pick(random, []string{"dedicated", "spot"}), Value: pick(random, []string{"", "x", "y"}), Effect: pick(random, effects)}
			if !slices.ContainsFunc(node.Spec.Taints, func(other v1.Taint) bool { return other.MatchTaint(&taint) }) {
				node.Spec.Taints = append(node.Spec.Taints, taint)
			}
		}
		node.Spec.Unschedulable = random.Intn(8) == 0
	}
	for range random.Intn(4) {
		toleration := v1.Toleration{Operator: v1.TolerationOpExists, Key: pick(random, []string{"dedicated", "spot", v1.TaintNodeUnschedulable})}
		if random.Intn(2) == 0 {
			toleration.Operator, toleration.Value = v1.TolerationOpEqual, pick(random, []string{"", "x", "y"})
		}
		if random.Intn(2) == 0 {
			toleration.Effect = pick(random, effects)
		}
		world.pending.Spec.Tolerations = append(world.pending.Spec.Tolerations, toleration)
	}
}

func nodeAffinity(random *rand.Rand, world *cluster) {
	if random.Intn(3) == 0 {
		world.pending.Spec.NodeSelector = map[string]string{"disk": pick(random, []string{"ssd", "hdd"})}
	}
	affinity := &v1.NodeAffinity{}
	if random.Intn(3) > 0 {
		affinity.RequiredDuringSchedulingIgnoredDuringExecution = &v1.NodeSelector{}
		for range 1 + random.Intn(2) {
			required := affinity.RequiredDuringSchedulingIgnoredDuringExecution
			required.NodeSelectorTerms = append(required.NodeSelectorTerms, nodeTerm(random, world))
		}
	}
	for range random.Intn(3) {
		affinity.PreferredDuringSchedulingIgnoredDuringExecution = append(affinity.PreferredDuringSchedulingIgnoredDuringExecution,
			v1.PreferredSchedulingTerm{Weight: int32(1 + random.Intn(100)), Preference: nodeTerm(random, world)})
	}
	affinityOf(world.pending).NodeAffinity = affinity
}

func nodeTerm(random *rand.Rand, world *cluster) v1.NodeSelectorTerm {
	if random.Intn(8) == 0 {
		return v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{
			{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{pick(random, world.nodes).Name}}}}
	}
	var term v1.NodeSelectorTerm
	for range 1 + random.Intn(2) {
		requirement := v1.NodeSelectorRequirement{Key: zone, Operator: v1.NodeSelectorOpIn, Values: []string{pick(random, []string{"a", "b"}), "c"}}
		switch random.Intn(5) {
		case 0:
			requirement = v1.NodeSelectorRequirement{Key: "generation", Operator: v1.NodeSelectorOpGt, Values: []string{fmt.Sprint(random.Intn(9))}}
		case 1:
			requirement = v1.NodeSelectorRequirement{Key: "generation", Operator: v1.NodeSelectorOpLt, Values: []string{fmt.Sprint(2 + random.Intn(8))}}
		case 2:
			requirement = v1.NodeSelectorRequirement{Key: zone, Operator: pick(random, []v1.NodeSelectorOperator{v1.NodeSelectorOpExists, v1.NodeSelectorOpDoesNotExist})}
		case 3:
			requirement.Operator = v1.NodeSelectorOpNotIn
		}
		term.MatchExpressions = append(term.MatchExpressions, requirement)
	}
	return term
}

func affinityOf(pod *v1.Pod) *v1.Affinity {
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &v1.Affinity{}
	}
	return pod.Spec.Affinity
}

func ports(random *rand.Rand, world *cluster) {
	for _, pod := range append([]*v1.Pod{world.pending}, world.pods...) {
		for range random.Intn(3) {
			pod.Spec.Containers[0].Ports = append(pod.Spec.Containers[0].Ports, v1.ContainerPort{
				ContainerPort: 80, HostPort: int32(8000 + random.Intn(2)), HostIP: pick(random, []string{"", "0.0.0.0", "10.0.0.1", "10.0.0.2"}),
				Protocol: pick(random, []v1.Protocol{v1.ProtocolTCP, v1.ProtocolUDP, v1.ProtocolSCTP})})
		}
	}
}

func spread(random *rand.Rand, world *cluster) {
	for range 1 + random.Intn(2) {
		constraint := v1.TopologySpreadConstraint{
			MaxSkew: int32(1 + random.Intn(2)), TopologyKey: pick(random, []string{zone, hostname}),
			WhenUnsatisfiable: pick(random, []v1.UnsatisfiableConstraintAction{v1.DoNotSchedule, v1.DoNotSchedule, v1.ScheduleAnyway}),
			LabelSelector:     selector(random)}
		if constraint.WhenUnsatisfiable == v1.DoNotSchedule && random.Intn(4) == 0 {
			domains := int32(2 + random.Intn(3))
			constraint.MinDomains = &domains
		}
		for _, policy := range []**v1.NodeInclusionPolicy{&constraint.NodeAffinityPolicy, &constraint.NodeTaintsPolicy} {
			if random.Intn(4) == 0 {
				value := pick(random, []v1.NodeInclusionPolicy{v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore})
				*policy = &value
			}
		}
		for _, other := range world.pending.Spec.TopologySpreadConstraints {
			if other.TopologyKey == constraint.TopologyKey && other.WhenUnsatisfiable == constraint.WhenUnsatisfiable {
				return
			}
		}
		world.pending.Spec.TopologySpreadConstraints = append(world.pending.Spec.TopologySpreadConstraints, constraint)
	}
}

func selector(random *rand.Rand) *meta.LabelSelector {
	switch random.Intn(4) {
	case 0:
		return &meta.LabelSelector{MatchLabels: map[string]string{"tier": pick(random, []string{"1", "2"})}}
	case 1:
		return &meta.LabelSelector{MatchExpressions: []meta.LabelSelectorRequirement{
			{Key: "app", Operator: pick(random, []meta.LabelSelectorOperator{meta.LabelSelectorOpIn, meta.LabelSelectorOpNotIn}), Values: []string{"web", "batch"}}}}
	}
	return &meta.LabelSelector{MatchLabels: map[string]string{"app": pick(random, []string{"web", "db", "batch"})}}
}

func podAffinity(random *rand.Rand, world *cluster) {
	for range 1 + random.Intn(4) {
		affinity := affinityOf(world.anyPod(random))
		term := podTerm(random)
		weighted := v1.WeightedPodAffinityTerm{Weight: int32(1 + random.Intn(100)), PodAffinityTerm: term}
		if random.Intn(2) == 0 {
			if affinity.PodAffinity == nil {
				affinity.PodAffinity = &v1.PodAffinity{}
			}
			to := affinity.PodAffinity
			if random.Intn(2) == 0 {
				to.RequiredDuringSchedulingIgnoredDuringExecution = append(to.RequiredDuringSchedulingIgnoredDuringExecution, term)
			} else {
				to.PreferredDuringSchedulingIgnoredDuringExecution = append(to.PreferredDuringSchedulingIgnoredDuringExecution, weighted)
			}
			continue
		}
		if affinity.PodAntiAffinity == nil {
			affinity.PodAntiAffinity = &v1.PodAntiAffinity{}
		}
		to := affinity.PodAntiAffinity
		if random.Intn(2) == 0 {
			to.RequiredDuringSchedulingIgnoredDuringExecution = append(to.RequiredDuringSchedulingIgnoredDuringExecution, term)
		} else {
			to.PreferredDuringSchedulingIgnoredDuringExecution = append(to.PreferredDuringSchedulingIgnoredDuringExecution, weighted)
		}
	}
}

func podTerm(random *rand.Rand) v1.PodAffinityTerm {
	term := v1.PodAffinityTerm{TopologyKey: pick(random, []string{zone, hostname}), LabelSelector: selector(random)}
	switch random.Intn(4) {
	case 0:
		term.Namespaces = []string{"other"}
	case 1:
		term.NamespaceSelector = &meta.LabelSelector{MatchLabels: map[string]string{"team": pick(random, []string{"a", "b"})}}
	}
	return term
}

func images(random *rand.Rand, world *cluster) {
	names := []string{"registry.example/main:1", "registry.example/first:1", "registry.example/large:2"}
	world.pending.Spec.Containers[0].Image = pick(random, names)
	for _, name := range names {
		// Where nodes state different sizes, the node that was seen first decides.
		size := int64(1+random.Intn(60)) << 24
		for _, node := range world.nodes {
			if random.Intn(2) == 0 {
				node.Status.Images = append(node.Status.Images, v1.ContainerImage{Names: []string{name}, SizeBytes: size})
			}
		}
	}
}
