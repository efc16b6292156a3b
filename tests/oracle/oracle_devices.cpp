// Which devices pods have. rules/devices.md; the counting is in kube_devices.h.
//
// Thread and errors: see oracle.h.
#include <algorithm>
#include <set>
#include <tuple>

#include "kube_devices.h"
#include "kube_match.h"
#include "oracle.h"

namespace bayplan::oracle {

std::string Oracle::check_devices(const Shim& shim, const NodeItem& record, KubeNode& into) {
    if (record.devices.size() > 4) {
        return "more than 4 kinds of devices";
    }
    for (const DictId id : record.devices) {
        const auto text = shim.dictionary.find(id);
        if (text == shim.dictionary.end()) {
            return "unknown dictionary id";
        }
        const std::string& kind = text->second;
        if (!is_device_name(kind)) {
            return kind + " cannot be devices";
        }
        const auto capacity = into.allocatable.find(kind);
        if (capacity == into.allocatable.end()) {
            return "no capacity of " + kind;
        }
        if (capacity->second % 1000 != 0) {
            return "capacity of " + kind + " is not whole devices";
        }
        if (capacity->second > 128 * 1000) {
            return "more than 128 devices of " + kind;
        }
        if (!into.devices.emplace(kind, capacity->second / 1000).second) {
            return "devices " + kind + " are given twice";
        }
    }
    return "";
}

// What an ask must leave alone of a kind on a node.
std::vector<KubeKept> Oracle::kept_from(const Ask& ask, const std::string& node, const std::string& kind) const {
    const auto of = [&](const Amounts& amounts) {
        const auto found = amounts.find(kind);
        return found == amounts.end() ? 0 : found->second;
    };
    std::vector<KubeKept> kept;
    for (const auto& [owner, hold] : holds_) {
        if (hold.node == node && ask.priority < hold.kept_from_below) {
            kept.push_back({hold.kept_from_below, 0, owner, 0, of(hold.amounts)});
        }
    }
    for (const Ask* other : nominated_to(node)) {
        if (other != &ask && other->priority >= ask.priority && !is_tried_with(*other)) {
            kept.push_back(
                {std::int64_t{other->priority} + 1, 1, other->group_number, other->sequence, of(other->requests)});
        }
    }
    for (const Ask* other : reservations_on(node)) {
        if (other != &ask) {
            kept.push_back({kKeptFromAll, 2, other->sequence, 0, of(other->requests)});
        }
    }
    return kept;
}

// Of one kind; the ask is not counted yet.
std::vector<int> Oracle::devices_for(const Ask& ask, const Node& node, const std::string& kind,
                                     const std::string& stated) {
    const std::int64_t count = node.facts.devices.at(kind);
    const std::int64_t amount = ask.requests.at(kind);
    const KubeDevices said = read_devices(stated).value_or(KubeDevices());
    if (said.contains(kind)) {
        const std::vector<int>& numbers = said.at(kind);
        const bool there = std::all_of(numbers.begin(), numbers.end(), [&](int number) { return number < count; });
        if (there && static_cast<std::int64_t>(numbers.size()) == number_of_devices(amount)) {
            saw("devices as stated");
            return numbers;
        }
        saw("stated devices make no sense");
    }
    std::vector<const KubePod*> pods;
    for (const auto& [sequence, other] : asks_) {
        if (other.node == node.name && &other != &ask) {
            pods.push_back(&other.pod);
        }
    }
    const bool fullest = options_.device_choice == DeviceChoice::fullest;
    const std::vector<KubeKept> kept = kept_from(ask, node.name, kind);
    const DevicesLeft left = devices_left(count, kind, pods, kept, fullest);
    const std::vector<int> chosen = choose_devices(left, amount, fullest);
    saw(!devices_fit(left, amount) ? "devices that do not fit"
        : amount % 1000 != 0       ? "share of a device"
                                   : "whole devices");
    if (chosen != choose_devices(devices_left(count, kind, pods, {}, fullest), amount, fullest)) {
        saw("other devices for what is kept");
    }
    return chosen;
}

void Oracle::give_devices(Ask& ask, const Node& node, const std::string& stated) {
    for (const auto& [kind, amount] : ask.requests) {
        if (node.facts.devices.contains(kind)) {
            ask.pod.devices[kind] = devices_for(ask, node, kind, stated);
        }
    }
}

// A node's kinds that are devices may be others now: pods lose what is none any more, and get, in
// order, of what was none before.
void Oracle::declare_devices(const Node& node, const KubeNode& before) {
    for (auto& [sequence, ask] : asks_) {
        if (ask.node == node.name) {
            std::erase_if(ask.pod.devices, [&](const auto& one) { return !node.facts.devices.contains(one.first); });
        }
    }
    for (auto& [sequence, ask] : asks_) {
        if (ask.node != node.name) {
            continue;
        }
        for (const auto& [kind, amount] : ask.requests) {
            if (node.facts.devices.contains(kind) && !before.devices.contains(kind)) {
                saw("devices of a running pod's kind");
                ask.pod.devices[kind] = devices_for(ask, node, kind, "");
            }
        }
    }
}

// R-LAW-3, device by device, at the moment of the commit.
void Oracle::check_devices_fit(const Ask& ask, const Node& node) {
    if (!options_.predicates.empty() && std::ranges::count(options_.predicates, "NodeResourcesFit") == 0) {
        return;  // devices are counted there
    }
    for (const auto& [kind, amount] : ask.requests) {
        if (!node.facts.devices.contains(kind)) {
            continue;
        }
        std::vector<const KubePod*> pods;
        for (const auto& [sequence, other] : asks_) {
            if (other.node == node.name) {
                pods.push_back(&other.pod);
            }
        }
        const bool fullest = options_.device_choice == DeviceChoice::fullest;
        if (!devices_fit(
                devices_left(node.facts.devices.at(kind), kind, pods, kept_from(ask, node.name, kind), fullest),
                amount)) {
            broken_at_commit_.push_back("R-LAW-3: " + ask.key + " does not fit the devices " + kind + " of " +
                                        node.name);
        }
    }
}

// R-LAW-14, at the moment of the commit: later claims may be stated with devices that others have.
void Oracle::check_claimed(const Ask& ask, const Node& node, const std::vector<KubeBinding>& bindings) {
    using Name = std::tuple<std::string, std::string, std::string>;
    std::set<Name> taken;
    const KubeObjects objects = assumed_objects();
    for (const auto& [name, claim] : objects.resource_claims) {
        for (const KubeAllocatedDevice& one :
             claim.allocation ? claim.allocation->devices : std::vector<KubeAllocatedDevice>{}) {
            if (!one.admin_access) {
                taken.insert({one.driver, one.pool, one.device});
            }
        }
    }
    for (const KubeBinding& binding : bindings) {
        for (const KubeAllocatedDevice& one :
             binding.tells ? binding.devices->devices : std::vector<KubeAllocatedDevice>{}) {
            const std::string device = one.driver + "/" + one.pool + "/" + one.device;
            if (!one.admin_access && !taken.insert({one.driver, one.pool, one.device}).second) {
                broken_at_commit_.push_back("R-LAW-14: " + ask.key + " gets " + device + ", which is in use");
            }
            if (!is_current(one, node.facts, objects)) {
                broken_at_commit_.push_back("R-LAW-14: " + ask.key + " gets " + device + " of an old slice");
            }
        }
    }
}

// A slice has it that is as new as any of its pool that the node sees.
bool Oracle::is_current(const KubeAllocatedDevice& device, const KubeNode& node, const KubeObjects& objects) {
    std::int64_t newest = INT64_MIN;
    std::int64_t newest_with_it = INT64_MIN;
    for (const auto& [name, slice] : objects.slices) {
        const bool seen =
            !slice.hidden &&
            (slice.reach == SliceReach::all_nodes || (slice.reach == SliceReach::node && slice.node == node.name) ||
             (slice.reach == SliceReach::selected_nodes && node_term_matches(slice.nodes, node)));
        if (!seen || slice.driver != device.driver || slice.pool != device.pool) {
            continue;
        }
        newest = std::max(newest, slice.generation);
        if (std::ranges::count(slice.devices, device.device, &KubeSliceDevice::name) > 0) {
            newest_with_it = std::max(newest_with_it, slice.generation);
        }
    }
    return newest_with_it == newest && newest != INT64_MIN;
}

// R-LAW-2: a pod has devices of what its node has as devices, and of nothing else.
void Oracle::audit_devices(const Ask& ask, std::vector<std::string>& broken) const {
    std::set<std::string> expected;
    for (const auto& [kind, amount] : ask.requests) {
        if (!ask.node.empty() && nodes_.at(ask.node).facts.devices.contains(kind)) {
            expected.insert(kind);
        }
    }
    std::set<std::string> has;
    for (const auto& [kind, numbers] : ask.pod.devices) {
        has.insert(kind);
        if (std::set<int>(numbers.begin(), numbers.end()).size() != numbers.size()) {
            broken.push_back("R-LAW-2: " + ask.key + " has a device twice");
        }
    }
    if (has != expected) {
        broken.push_back("R-LAW-2: " + ask.key + " has devices of other kinds than it should");
    }
}

}  // namespace bayplan::oracle
