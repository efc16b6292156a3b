// See qos.h.
#include "kube/qos.h"

#include <algorithm>

#include "kube/requests.h"
#include "kube/resource_names.h"

namespace bayplan::kube {

namespace {

struct Totals {
    ResourceList requests;
    ResourceList limits;
    bool all_limited = true;  // every container limits cpu and memory
};

void add(ResourceList& sum, const Resource& one) {
    for (Resource& known : sum) {
        if (known.name == one.name) {
            known.quantity += one.quantity;
            return;
        }
    }
    sum.push_back(one);
}

void add_counted(ResourceList& sum, const ResourceList& list, std::size_t& found) {
    for (const Resource& one : list) {
        if ((one.name == kCpuName || one.name == kMemoryName) && one.quantity > Quantity()) {
            add(sum, one);
            ++found;
        }
    }
}

void count(Converter& convert, const Value& resources, Totals& totals) {
    std::size_t requested = 0;
    std::size_t limited = 0;
    add_counted(totals.requests, read_list(convert, resources["requests"]), requested);
    add_counted(totals.limits, read_list(convert, resources["limits"]), limited);
    totals.all_limited = totals.all_limited && limited == 2;
}

bool same(const ResourceList& a, const ResourceList& b) {
    return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const Resource& one) {
               const Resource* const other = find_resource(b, one.name);
               return other != nullptr && other->quantity == one.quantity;
           });
}

}  // namespace

QosClass qos_of(Converter& convert, const Value& pod) {
    const std::string_view said = convert.reader.text(pod["status"]["qosClass"]);
    if (said == "Guaranteed" || said == "Burstable" || said == "BestEffort") {
        return said == "Guaranteed"  ? QosClass::guaranteed
               : said == "Burstable" ? QosClass::burstable
                                     : QosClass::best_effort;
    }
    Totals totals;
    if (pod["spec"]["resources"].present()) {
        count(convert, pod["spec"]["resources"], totals);
    } else {
        for (const char* const list : {"containers", "initContainers"}) {
            for (const Value& container : convert.reader.items(pod["spec"][list])) {
                count(convert, container["resources"], totals);
            }
        }
    }
    if (totals.requests.empty() && totals.limits.empty()) {
        return QosClass::best_effort;
    }
    return totals.all_limited && same(totals.requests, totals.limits) ? QosClass::guaranteed : QosClass::burstable;
}

}  // namespace bayplan::kube
