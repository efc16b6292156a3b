// The claims of a pod that must be prepared before it is bound, and on what: volumes for claims on storage, devices for
// resource claims.
//
// Thread: any; plain data. Claims are "NAMESPACE/NAME".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bayplan::kube_shim {

// A claim on storage that waits for its first consumer.
struct StorageStep {
    std::string claim;
    std::string volume;  // that it gets; empty: one is provisioned for the pod's node
};

struct GivenDevice {
    std::string request;
    std::string driver;
    std::string pool;
    std::string device;
    bool admin_access = false;
    bool operator==(const GivenDevice&) const = default;
};

struct NodeRequirement {
    std::string key;
    std::string op;  // Kubernetes' word
    std::vector<std::string> values;
    bool operator==(const NodeRequirement&) const = default;
};

// The claim of a pod's extended resources, which is not there yet.
struct ClaimToMake {
    struct Request {
        std::string name;
        std::string device_class;
        std::int64_t count = 0;
        bool operator==(const Request&) const = default;
    };
    struct Mapping {
        std::string container;
        std::string resource;
        std::string request;
        bool operator==(const Mapping&) const = default;
    };
    std::vector<Request> requests;
    std::vector<Mapping> mappings;
    std::vector<std::string> former;  // claims of the pod that were made before, and go
};

// A claim on devices. Without devices it is allocated already, or by another pod that was placed before.
struct DeviceStep {
    std::string claim;  // empty until it is made
    std::vector<GivenDevice> devices;
    // Of the one term of nodes that can use them; neither: all can.
    std::vector<NodeRequirement> fields;
    std::vector<NodeRequirement> expressions;
    std::optional<ClaimToMake> makes = {};  // before anything else
};

struct ClaimSteps {
    std::vector<StorageStep> storage;
    std::vector<DeviceStep> devices;
    std::string fault;  // nobody here can prepare it

    bool any() const { return !storage.empty() || !devices.empty(); }
};

// The devices that a decision names (R-CLAIM-20), by the claim's name.
std::map<std::string, std::vector<GivenDevice>, std::less<>> devices_by_claim(std::string_view decision);

}  // namespace bayplan::kube_shim
