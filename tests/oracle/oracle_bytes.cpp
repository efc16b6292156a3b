// Bytes, naively: what a shim has is counted anew whenever anybody asks. rules/limits.md, R-BYTES.
//
// Thread and errors: see oracle.h.
#include <algorithm>

#include "oracle.h"

namespace bayplan::oracle {

namespace {

std::uint64_t of_list_entry(const std::string& text) { return 64 + text.size(); }

std::uint64_t of_node(const Node& node) {
    std::uint64_t bytes = 512 + node.name.size();
    for (const auto& [key, value] : node.facts.labels) {
        bytes += of_list_entry(key) + value.size();
    }
    for (const auto& taint : node.facts.taints) {
        bytes += of_list_entry(taint.key) + taint.value.size();
    }
    for (const auto& [image, size] : node.facts.images) {
        bytes += of_list_entry(image);
    }
    for (const auto& [kind, amount] : node.facts.allocatable) {
        bytes += of_list_entry(kind);
    }
    return bytes;
}

// What its restatement may change.
std::uint64_t of_ask_needs(const Ask& ask) {
    std::uint64_t bytes = ask.required_node.empty() ? 0 : of_list_entry(ask.required_node);
    for (const auto& [kind, amount] : ask.requests) {
        bytes += 16 + kind.size();
    }
    for (const auto& [key, value] : ask.tags) {
        bytes += 16 + key.size() + value.size();
    }
    return bytes;
}

std::uint64_t of_group(const Ask& ask, const std::string& group) {
    return ask.application.empty() || group.empty() ? 0 : of_list_entry(group);
}

std::uint64_t of_ask(const Ask& ask) {
    const std::string& group = ask.gang.empty() ? ask.group : ask.gang_group;
    return 128 + ask.key.size() + of_group(ask, group) + of_ask_needs(ask);
}

std::uint64_t of_decision(const NumberedDecision& decision) {
    return 64 + decision.name.size() + decision.text.size() + decision.node.size() + decision.devices.size();
}

}  // namespace

std::uint64_t Oracle::kept_bytes(const Shim& shim) {
    std::uint64_t bytes = 0;
    for (const NumberedDecision& decision : shim.kept) {
        bytes += of_decision(decision);
    }
    return bytes;
}

// Each content once that a number or an ask has, but for the one that says nothing.
std::vector<std::shared_ptr<const KubeSpec>> Oracle::specs_of(const Shim& shim) const {
    std::vector<std::shared_ptr<const KubeSpec>> different;
    const auto add = [&](const std::shared_ptr<const KubeSpec>& spec) {
        const auto same = [&](const auto& other) { return other == spec || *other == *spec; };
        if (!(*spec == KubeSpec{}) && std::none_of(different.begin(), different.end(), same)) {
            different.push_back(spec);
        }
    };
    for (const auto* numbered : {&shim.specs, &shim.left_over_specs}) {
        for (const auto& [number, spec] : *numbered) {
            add(spec);
        }
    }
    for (const auto& [key, sequence] : shim.asks) {
        add(asks_.at(sequence).pod.spec);
    }
    return different;
}

std::uint64_t Oracle::bytes_of(const std::string& name) const {
    const Shim& shim = shims_.at(name);
    std::uint64_t bytes = kept_bytes(shim);
    for (const auto& spec : specs_of(shim)) {
        bytes += spec_bytes_.at(spec);
    }
    for (const auto& [id, text] : shim.dictionary) {
        bytes += of_list_entry(text);
    }
    for (const auto& [object, owner] : object_owners_) {
        bytes += owner == name ? object_bytes_.at(object) : 0;
    }
    for (const auto& [node_name, node] : nodes_) {
        bytes += node.shim == name ? of_node(node) : 0;
    }
    for (const std::string& application : shim.applications) {
        bytes += 256 + application.size();
        for (const std::string& group : shim.user_groups.at(application)) {
            bytes += of_list_entry(group);
        }
        if (const auto found = shim.placeholder_asks.find(application); found != shim.placeholder_asks.end()) {
            for (const auto& [kind, amount] : found->second) {
                bytes += 16 + kind.size();
            }
        }
    }
    for (const auto& [key, sequence] : shim.asks) {
        bytes += of_ask(asks_.at(sequence));
        bytes += 32 * asks_.at(sequence).plugin_says.size();
        for (const auto& [slot, said] : asks_.at(sequence).victims_said) {
            bytes += 32 * (1 + said.go.size());
        }
        for (const std::string& text : asks_.at(sequence).plugin_texts) {
            bytes += text.size();
        }
    }
    return bytes;
}

std::string Oracle::bytes_fault(const std::string& name, std::uint64_t more, std::uint64_t less) const {
    if (options_.bytes_max == 0 || more <= less) {
        return "";
    }
    std::uint64_t others = 0;
    for (const auto& [other, shim] : shims_) {
        others += other == name ? 0 : bytes_of(other);
    }
    const std::uint64_t most = others >= options_.bytes_max ? 0 : (options_.bytes_max - others) / 2;
    if (bytes_of(name) + more - less <= most) {
        return "";
    }
    return "more than " + std::to_string(most) + " bytes";
}

std::string Oracle::ask_bytes_fault(const Ask* existing, const Ask& wanted) const {
    if (existing == nullptr) {
        return bytes_fault(wanted.shim, of_ask(wanted), 0);
    }
    if (has_it_for_good(*existing)) {
        Ask becomes = *existing;
        becomes.requests = wanted.requests;
        becomes.tags = wanted.tags;
        return bytes_fault(wanted.shim, of_ask(becomes), of_ask(*existing));
    }
    const bool says = !existing->foreign && (wanted.group_fault != GroupFault::none || wanted.group_minimum != 0);
    Ask becomes = wanted;
    becomes.group = says ? wanted.group : existing->coscheduled() ? "" : existing->group;
    return bytes_fault(wanted.shim, of_ask(becomes), of_ask(*existing));
}

std::string Oracle::node_bytes_fault(const std::string& shim, const KubeNode& facts) const {
    Node wanted;
    wanted.name = facts.name;
    wanted.facts = facts;
    const auto there = nodes_.find(facts.name);
    return bytes_fault(shim, of_node(wanted), there == nodes_.end() ? 0 : of_node(there->second));
}

}  // namespace bayplan::oracle
