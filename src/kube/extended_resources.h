// Extended resources that devices stand for (Kubernetes' gate DRAExtendedResource, KEP-5004): which class of devices serves a
// resource, and the claim that a pod makes by asking for such a resource.
//
// A pod's claim is one for all its resources. On a node that has a resource by itself the requests of that resource are idle
// (R-CLAIM-40), as Kubernetes makes each node's claim of the others.
//
// Thread: one. Owns names; texts are ids of the dictionary that it is given. Source: Kubernetes 1.35.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bayplan/resource_claims.h"
#include "kube/converter.h"

namespace bayplan::kube {

// Annotation of a claim that a scheduler has made for a pod: "true".
inline constexpr std::string_view kExtendedClaimAnnotation = "resource.kubernetes.io/extended-resource-claim";

// The amount that a container asks of a resource that a class may serve.
struct ExtendedUse {
    Text resource = 0;
    std::int64_t count = 0;
    std::uint32_t container = 0;  // among init containers and containers
    std::uint32_t position = 0;   // of the resource among all that the container asks for, by name
    bool short_lived = false;     // an init container that ends before others begin
    std::string container_name;
    bool operator==(const ExtendedUse&) const = default;
};
std::vector<ExtendedUse> extended_uses(Converter&, const Value& pod);

// A request of the claim, and the containers that use one.
struct ExtendedRequest {
    std::string name;
    std::string device_class;
    std::int64_t count = 0;
    Text resource = 0;
    bool operator==(const ExtendedRequest&) const = default;
};
struct ExtendedMapping {
    std::string container;
    Text resource = 0;
    std::string request;
    bool operator==(const ExtendedMapping&) const = default;
};
struct ExtendedRequests {
    std::vector<ExtendedRequest> requests;  // by name
    std::vector<ExtendedMapping> mappings;
    bool operator==(const ExtendedRequests&) const = default;
};

class ExtendedResources {
public:
    // A DeviceClass as it is from now on.
    void take(Converter&);
    void forget(std::string_view device_class) { classes_.erase(std::string(device_class)); }

    // The class whose devices stand for the resource; empty: none. Of several that name it the newest, then the first by name.
    std::string_view class_for(std::string_view resource) const;
    // Resources that pods ask for; others need not be stated of a class. True: one of them is new.
    bool note(const std::vector<ExtendedUse>&);
    // Of those the ones that this class serves.
    std::vector<Text> kinds_of(std::string_view device_class, const Texts&) const;
    // Of a pod with these uses. None: no class serves any of its resources.
    ExtendedRequests requests_for(const std::vector<ExtendedUse>&, const Texts&) const;

    void visit_texts(const auto& visit) const {
        for (const Text resource : noted_) {
            visit(resource);
        }
    }

private:
    struct Class {
        std::string resource;  // that it names; empty: none
        std::int64_t created_s = 0;
    };
    std::map<std::string, Class, std::less<>> classes_;
    std::set<Text> noted_;
};

// Of a pod, where extended resources are followed.
struct PodExtended {
    std::vector<ExtendedUse> uses;
    std::optional<ResourceClaim> claim;  // which its spec names
};

// The claim of the pod, for the engine; no object of the API server has its name.
std::string extended_claim_name(std::string_view pod);
ResourceClaim extended_claim(const ExtendedRequests&, std::string_view name_space, std::string_view pod,
                             std::string_view uid, Texts&);
// The spec of a pod that has such a claim, after its own claims.
void add_extended_claim(PodSpec&, std::string_view pod, std::string_view uid, Texts&);

}  // namespace bayplan::kube
