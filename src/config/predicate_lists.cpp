// Both ways in share the words of their faults.
//
// Thread: any.
#include "config/predicate_lists.h"

#include <fmt/format.h>

#include "options/predicate_rows.h"

namespace bayplan::config {
namespace {

void note_unknown(const std::string& name, const std::string& path, Position position, const std::string& file,
                  Faults& faults) {
    faults.push_back({file, position, fmt::format("'{}' is '{}', which is no predicate", path, name),
                      fmt::format("known are {}", fmt::join(kPredicateNames, ", "))});
}

void override_list(const std::optional<std::vector<std::string>>& given, const std::string& option,
                   const std::string& program, std::vector<std::string> EngineOptions::*member, Config& config,
                   Faults& faults) {
    if (!given) return;
    for (const std::string& name : *given) {
        if (!is_predicate(name)) note_unknown(name, option, {}, program, faults);
    }
    for (PartitionConfig& partition : config.partitions) partition.engine.*member = *given;
}

}  // namespace

std::optional<std::vector<std::string>> read_predicates(const YamlNode& node, const std::string& path,
                                                        ReadContext& context) {
    auto names = read_texts(node, path, context);
    if (!names) return names;
    if (node.kind == YamlNode::Kind::scalar) {
        if (!is_predicate(node.text)) {
            note_unknown(node.text, path, node.position, context.file, context.faults);
        }
        return names;
    }
    if (node.items.empty()) {
        context.fault(node.position, fmt::format("'{}' is empty", path),
                      "name at least one, or remove the key: all are then on");
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        const YamlNode& item = node.items[i];
        if (item.kind == YamlNode::Kind::scalar && !item.text.empty() && !is_predicate(item.text)) {
            note_unknown(item.text, fmt::format("{}[{}]", path, i), item.position, context.file, context.faults);
        }
    }
    return names;
}

std::string print_predicates(const std::vector<std::string>& names) { return names.empty() ? "" : print_texts(names); }

void override_predicates(const PredicateOverrides& overrides, const std::string& program, Config& config,
                         Faults& faults) {
    override_list(overrides.predicates, "--predicates", program, &EngineOptions::predicates, config, faults);
    override_list(overrides.reservation_predicates, "--reservation-predicates", program,
                  &EngineOptions::reservation_predicates, config, faults);
}

}  // namespace bayplan::config
