// See feature_gates.h. Source: Kubernetes 1.35.
#include "config/feature_gates.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace bayplan::config {
namespace {

struct FeatureGate {
    std::string_view name;
    bool on = false;      // by default
    bool either = false;  // it is the shim's: a partition does both
};

constexpr FeatureGate kGates[] = {{"DynamicResourceAllocation", true}, {"DRAAdminAccess", true},
                                  {"DRAPrioritizedList", true},        {"DRAResourceClaimDeviceStatus", true},
                                  {"DRASchedulerFilterTimeout", true}, {"DRAConsumableCapacity", false},
                                  {"DRAPartitionableDevices", false},  {"DRADeviceTaints", false},
                                  {"DRADeviceTaintRules", false},      {"DRADeviceBindingConditions", false},
                                  {"DRAExtendedResource", false, true}};

std::string names() {
    std::vector<std::string_view> all;
    for (const FeatureGate& gate : kGates) all.push_back(gate.name);
    return fmt::format("{}", fmt::join(all, ", "));
}

// The fault of one, and what to do; both empty: it is as by default.
std::pair<std::string, std::string> fault_of(std::string_view text) {
    const std::size_t end = std::min(text.find('='), text.size());
    const std::string_view name = text.substr(0, end);
    const std::string_view value = text.substr(std::min(end + 1, text.size()));
    const auto* const gate = std::ranges::find_if(kGates, [&](const FeatureGate& one) { return one.name == name; });
    if (gate == std::end(kGates)) {
        return {"which is no gate of dynamic resources", "known are " + names()};
    }
    if (value != "true" && value != "false") {
        return {"which says neither true nor false", fmt::format("give {}={}", name, gate->on)};
    }
    if ((value == "true") == gate->on || gate->either) return {};
    return gate->on ? std::pair<std::string, std::string>{"and what it stands for cannot be left out", "remove it"}
                    : std::pair<std::string, std::string>{"and what it stands for is not built", "remove it"};
}

}  // namespace

std::optional<std::vector<std::string>> read_feature_gates(const YamlNode& node, const std::string& path,
                                                           ReadContext& context) {
    auto gates = read_texts(node, path, context);
    const auto check = [&](const YamlNode& item, const std::string& where) {
        if (item.kind != YamlNode::Kind::scalar || item.text.empty()) return;
        if (const auto [fault, hint] = fault_of(item.text); !fault.empty()) {
            context.fault(item.position, fmt::format("'{}' is '{}', {}", where, item.text, fault), hint);
        }
    };
    check(node, path);
    for (std::size_t at = 0; at < node.items.size(); ++at) {
        check(node.items[at], fmt::format("{}[{}]", path, at));
    }
    return gates;
}

std::string print_feature_gates(const std::vector<std::string>& gates) {
    return gates.empty() ? "" : print_texts(gates);
}

}  // namespace bayplan::config
