// Features with objects of their own: volumes and their claims, priorities, disruption budgets.
package main

import (
	"fmt"
	"math/rand"

	v1 "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const driver = "disks.example.com"

func volumes(random *rand.Rand, world *cluster) {
	later := storage.VolumeBindingWaitForFirstConsumer
	world.others = append(world.others,
		&storage.StorageClass{ObjectMeta: meta.ObjectMeta{Name: "local"}, Provisioner: "kubernetes.io/no-provisioner", VolumeBindingMode: &later},
		&storage.StorageClass{ObjectMeta: meta.ObjectMeta{Name: "zonal"}, Provisioner: driver, VolumeBindingMode: &later,
			AllowedTopologies: []v1.TopologySelectorTerm{{MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{{Key: zone, Values: []string{"a", "b"}}}}}})
	for _, node := range world.nodes {
		most := int32(1 + random.Intn(3))
		world.others = append(world.others, &storage.CSINode{ObjectMeta: meta.ObjectMeta{Name: node.Name}, Spec: storage.CSINodeSpec{
			Drivers: []storage.CSINodeDriver{{Name: driver, NodeID: node.Name, Allocatable: &storage.VolumeNodeResources{Count: &most}}}}})
	}
	for at := range random.Intn(3) {
		addVolume(random, world, fmt.Sprintf("free-%d", at+1), "local", nil)
	}
	for at, pod := range append([]*v1.Pod{world.pending}, world.pods...) {
		for turn := range random.Intn(3) {
			addClaim(random, world, pod, fmt.Sprintf("claim-%d-%d", at, turn+1))
		}
	}
}

// A claim of a running pod is bound; the pending pod's may wait for its node.
func addClaim(random *rand.Rand, world *cluster, pod *v1.Pod, name string) {
	class := pick(random, []string{"local", "zonal"})
	claim := &v1.PersistentVolumeClaim{
		ObjectMeta: meta.ObjectMeta{Name: name, Namespace: pod.Namespace, UID: types.UID("uid-" + name)},
		Spec: v1.PersistentVolumeClaimSpec{StorageClassName: &class, AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
			Resources: v1.VolumeResourceRequirements{Requests: v1.ResourceList{v1.ResourceStorage: resource.MustParse(pick(random, []string{"1Gi", "5Gi"}))}}},
		Status: v1.PersistentVolumeClaimStatus{Phase: v1.ClaimPending},
	}
	if random.Intn(6) == 0 {
		claim.Spec.AccessModes[0] = v1.ReadWriteOncePod
	}
	if pod != world.pending || random.Intn(2) == 0 {
		claim.Spec.VolumeName = "of-" + name
		claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
		claim.Status.Phase = v1.ClaimBound
		addVolume(random, world, claim.Spec.VolumeName, class, claim)
	}
	world.others = append(world.others, claim)
	mount := v1.Volume{Name: name, VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: name}}}
	pod.Spec.Volumes = append(pod.Spec.Volumes, mount)
	if pod != world.pending && random.Intn(4) == 0 && pod.Namespace == world.pending.Namespace {
		world.pending.Spec.Volumes = append(world.pending.Spec.Volumes, mount) // both use it
	}
}

func addVolume(random *rand.Rand, world *cluster, name, class string, claim *v1.PersistentVolumeClaim) {
	volume := &v1.PersistentVolume{
		ObjectMeta: meta.ObjectMeta{Name: name},
		Spec: v1.PersistentVolumeSpec{StorageClassName: class, AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
			Capacity: v1.ResourceList{v1.ResourceStorage: resource.MustParse(pick(random, []string{"2Gi", "8Gi"}))}},
		Status: v1.PersistentVolumeStatus{Phase: v1.VolumeAvailable},
	}
	key, values := zone, []string{pick(random, []string{"a", "b", "c"})}
	if class == "local" {
		key, values = hostname, []string{pick(random, world.nodes).Name}
		volume.Spec.PersistentVolumeSource.Local = &v1.LocalVolumeSource{Path: "/disks/" + name}
	} else {
		volume.Spec.PersistentVolumeSource.CSI = &v1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: name}
	}
	volume.Spec.NodeAffinity = &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{
		{MatchExpressions: []v1.NodeSelectorRequirement{{Key: key, Operator: v1.NodeSelectorOpIn, Values: values}}}}}}
	if claim != nil {
		volume.Spec.ClaimRef = &v1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID}
		volume.Spec.AccessModes = claim.Spec.AccessModes
		volume.Status.Phase = v1.VolumeBound
	}
	world.others = append(world.others, volume)
}

// The pending pod is important; others are less so, or as much. One may wait for a node that it was promised.
func priorities(random *rand.Rand, world *cluster) {
	set := func(pod *v1.Pod, priority int32) { pod.Spec.Priority = &priority }
	set(world.pending, int32(100+100*random.Intn(2)))
	for _, pod := range world.pods {
		set(pod, pick(random, []int32{0, 0, 10, 50, 200, -5}))
	}
	if random.Intn(6) == 0 {
		never := v1.PreemptNever
		world.pending.Spec.PreemptionPolicy = &never
	}
	if random.Intn(4) == 0 {
		waiting := newPod(random, "waiting")
		waiting.Spec.Containers[0].Resources.Requests = someRequests(random, true)
		waiting.Status.Phase, waiting.Status.NominatedNodeName = v1.PodPending, pick(random, world.nodes).Name
		set(waiting, pick(random, []int32{50, 300}))
		world.pods = append(world.pods, waiting)
	}
}

func budgets(random *rand.Rand, world *cluster) {
	for at := range 1 + random.Intn(2) {
		least := intstr.FromInt32(1)
		world.others = append(world.others, &policy.PodDisruptionBudget{
			ObjectMeta: meta.ObjectMeta{Name: fmt.Sprintf("budget-%d", at+1), Namespace: pick(random, []string{"default", "other"})},
			Spec:       policy.PodDisruptionBudgetSpec{MinAvailable: &least, Selector: selector(random)},
			Status:     policy.PodDisruptionBudgetStatus{DisruptionsAllowed: int32(random.Intn(3))}})
	}
}
