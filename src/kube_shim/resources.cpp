// See resources.h. The names are from Kubernetes 1.35.
#include "kube_shim/resources.h"

namespace bayplan::kube_shim {

std::span<const Resource> watched_resources() {
    // Finished pods count for nothing: the server leaves them out, and says of a pod that finishes that it is deleted.
    static constexpr std::string_view kUnfinished =
        "fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed";
    static constexpr Resource kAll[] = {
        {"Namespace", "/api/v1/namespaces"},
        {"PriorityClass", "/apis/scheduling.k8s.io/v1/priorityclasses"},
        {"Node", "/api/v1/nodes"},
        {"Service", "/api/v1/services"},
        {"ReplicationController", "/api/v1/replicationcontrollers"},
        {"ReplicaSet", "/apis/apps/v1/replicasets"},
        {"StatefulSet", "/apis/apps/v1/statefulsets"},
        {"PodDisruptionBudget", "/apis/policy/v1/poddisruptionbudgets"},
        {"PersistentVolume", "/api/v1/persistentvolumes"},
        {"PersistentVolumeClaim", "/api/v1/persistentvolumeclaims"},
        {"StorageClass", "/apis/storage.k8s.io/v1/storageclasses"},
        {"CSINode", "/apis/storage.k8s.io/v1/csinodes"},
        {"CSIDriver", "/apis/storage.k8s.io/v1/csidrivers"},
        {"CSIStorageCapacity", "/apis/storage.k8s.io/v1/csistoragecapacities"},
        {"VolumeAttachment", "/apis/storage.k8s.io/v1/volumeattachments"},
        {"DeviceClass", "/apis/resource.k8s.io/v1/deviceclasses", {}, true},
        {"ResourceSlice", "/apis/resource.k8s.io/v1/resourceslices", {}, true},
        {"ResourceClaim", "/apis/resource.k8s.io/v1/resourceclaims", {}, true},
        {"Pod", "/api/v1/pods", kUnfinished},
    };
    return kAll;
}

}  // namespace bayplan::kube_shim
