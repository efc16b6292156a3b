// Requests of claims on devices, as Kubernetes says them: with texts.
//
// Thread: plain data, any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bayplan::oracle {

struct KubeDeviceClass {
    std::string name;
    std::vector<std::string> selectors;
    std::vector<std::string> kinds;  // of resources that its devices stand for
};

struct KubeDemand {
    std::string name;
    std::string device_class;
    std::vector<std::string> selectors;
    bool all = false;
    std::int64_t count = 1;
    bool admin_access = false;
    bool operator==(const KubeDemand&) const = default;
};

struct KubeDeviceRequest {
    std::string name;
    std::vector<KubeDemand> demands;
    bool prioritised = false;
    std::string kind = {};  // of resources; empty: it is for every node
    bool operator==(const KubeDeviceRequest&) const = default;
};

struct KubeDeviceConstraint {
    std::vector<std::string> requests;
    std::string attribute;
    bool operator==(const KubeDeviceConstraint&) const = default;
};

struct KubeAllocatedDevice {
    std::string request;
    std::string driver;
    std::string pool;
    std::string device;
    bool admin_access = false;
    bool operator==(const KubeAllocatedDevice&) const = default;
};

}  // namespace bayplan::oracle
