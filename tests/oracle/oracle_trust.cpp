// Rights of a shim towards others of its partition. rules/trust.md.
#include "oracle.h"

namespace bayplan::oracle {

namespace {

// A star at the end, or none: the globs of histories have no other.
bool matches(const std::string& glob, const std::string& name) {
    return glob.ends_with('*') ? name.starts_with(glob.substr(0, glob.size() - 1)) : glob == name;
}

}  // namespace

ShimRights Oracle::rights_of(const std::string& shim) const {
    for (const ShimRights& rights : options_.shim_rights) {
        if (matches(rights.shim, shim)) {
            return rights;
        }
    }
    ShimRights rights;
    if (options_.shim_rights.empty()) {
        rights.priority_max = std::numeric_limits<std::int32_t>::max();
        rights.force = rights.change = true;
    }
    return rights;
}

std::string Oracle::force_fault(const Ask* existing, const Ask& wanted) {
    const auto node = nodes_.find(wanted.node);
    const bool there = existing != nullptr && has_it_for_good(*existing);
    if (there || node == nodes_.end() || node->second.shim == wanted.shim || rights_of(wanted.shim).force) {
        return "";
    }
    saw("a pod is not placed by force on another shim's node");
    return "node " + wanted.node + " is of another shim";
}

std::vector<std::uint64_t> Oracle::kept_out_of(const std::string& node) const {
    std::vector<std::uint64_t> kept_out;
    for (const auto& [sequence, ask] : asks_) {
        const bool waits = ask.awaited_node == node;
        if (waits && ask.shim != nodes_.at(node).shim && !rights_of(ask.shim).force) {
            kept_out.push_back(sequence);
        }
    }
    return kept_out;
}

}  // namespace bayplan::oracle
