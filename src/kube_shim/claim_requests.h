// The requests that prepare claims, and the JSON in them. All that is written hangs on the version that was read before.
//
// Thread: any. Claims are "NAMESPACE/NAME".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube_shim/claim_steps.h"
#include "kube_shim/http_client.h"
#include "kube_shim/pod_requests.h"

namespace bayplan::kube_shim {

HttpRequest get_storage_claim(std::string_view claim);
HttpRequest get_volume(std::string_view volume);
HttpRequest get_resource_claim(std::string_view claim);
HttpRequest get_device_class(std::string_view device_class);

struct StorageClaimRead {
    std::string uid;
    std::string version;
    std::string volume;
    bool bind_completed = false;
    std::string selected_node;
};
std::optional<StorageClaimRead> read_storage_claim(const HttpAnswer&);

struct VolumeRead {
    std::string version;
    std::string claim;  // "NAMESPACE/NAME" of its claimRef; empty: none
    std::string claim_uid;
};
std::optional<VolumeRead> read_volume(const HttpAnswer&);

// The volume is the claim's from now on; the controller of volumes does the rest.
HttpRequest give_volume(std::string_view volume, const VolumeRead&, std::string_view claim, const StorageClaimRead&);
// The claim's provisioner makes a volume that the node reaches.
HttpRequest select_node(std::string_view claim, const StorageClaimRead&, std::string_view node);

struct ResourceClaimRead {
    bool deleting = false;
    bool allocated = false;
    bool reserved = false;  // for the pod
    bool has_requests = false;
    bool has_finalizer = false;
    std::vector<std::string> classes;  // of the requests that devices were given to
};
std::optional<ResourceClaimRead> read_resource_claim(const HttpAnswer&, const DeviceStep&, const PodName&);

// From the claim as it was read. `classes`: bodies of the answers, by name.
HttpRequest add_finalizer(const std::string& claim_body, const DeviceStep&);
HttpRequest reserve_claim(const std::string& claim_body, const DeviceStep&, const PodName&,
                          const std::map<std::string, std::string>& classes);
HttpRequest unreserve_claim(std::string_view claim, const PodName&);

// A name for the claim of the pod's extended resources, NAMESPACE/NAME; `suffix` is 5 letters.
std::string name_of_claim_for(const PodName&, std::string_view suffix);
// With the finalizer, so that it may be allocated at once.
HttpRequest create_claim(std::string_view claim, const PodName&, const ClaimToMake&);
HttpRequest tell_pod_of_claim(const PodName&, std::string_view claim, const ClaimToMake&);

struct MadeClaim {
    std::string uid;
    bool of_pod = false;  // made for the extended resources of this pod
    bool has_finalizer = false;
};
std::optional<MadeClaim> read_made_claim(const HttpAnswer&, std::string_view pod_uid);
// From the claim as it was read: it may be deleted then.
HttpRequest let_go_of_claim(std::string_view claim, const std::string& claim_body);
HttpRequest delete_claim(std::string_view claim, const MadeClaim&);

// A resource claim as the pod sees it that it is to be given back for.
struct HeldClaim {
    std::string uid;
    std::string version;
    bool anything = false;  // an allocation, or a reservation
    bool others = false;    // it is reserved for others
};
std::optional<HeldClaim> read_held_claim(const HttpAnswer&, std::string_view pod_uid);
// As Kubernetes' PostFilter has it: no allocation, no reservations, no states of devices.
HttpRequest clear_resource_claim(std::string_view claim, const HeldClaim&);

}  // namespace bayplan::kube_shim
