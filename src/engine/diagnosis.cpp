// The part of Lifecycle that says why an attempt failed, over all nodes, in Kubernetes' words.

#include <bit>
#include <map>
#include <set>
#include <string>

#include "base/check.h"
#include "engine/lifecycle.h"

namespace bayplan {

void Lifecycle::diagnose(ClassId id) {
    ClassEntry& entry = world_.classes[id];
    if (entry.failure_position == world_.node_state.log().head()) {
        return;  // nothing has changed since another ask of the class failed
    }
    std::map<std::string, std::uint64_t> counts;
    entry.failed_predicates = 0;
    for (std::uint32_t number = 0; number < world_.node_state.block_count(); ++number) {
        const NodeBlock& block = world_.node_state.block(number);
        for (std::uint64_t left = block.present; left != 0; left &= left - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
            const auto failure = evaluator_.predicates().explain(*entry.spec, block, lane, world_.kinds);
            BP_CHECK(failure.refusal.verdict != Verdict::feasible);
            entry.failed_predicates |= 1u << failure.predicate;
            for (const std::string& reason : failure.refusal.reasons) {
                ++counts[reason];
            }
        }
    }
    entry.failure_position = world_.node_state.log().head();
    if (world_.nodes.count() == 0) {
        entry.failure_text = "no nodes available to schedule pods";
        return;
    }
    // Kubernetes sorts the parts as strings, numbers included: "10 x" before "2 y".
    std::set<std::string> parts;
    for (const auto& [reason, count] : counts) {
        parts.insert(std::to_string(count) + " " + reason);
    }
    entry.failure_text = "0/" + std::to_string(world_.nodes.count()) + " nodes are available: ";
    const char* separator = "";
    for (const std::string& part : parts) {
        entry.failure_text += separator + part;
        separator = ", ";
    }
    entry.failure_text += '.';
}

}  // namespace bayplan
