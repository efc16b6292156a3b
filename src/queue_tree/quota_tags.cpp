// Quotas of namespaces, as shims write them into an application's tags: JSON of {"resources": {NAME: {"value": n}}}.
//
// Thread: the engine's.
#include <algorithm>
#include <charconv>

#include "config/yaml_reader.h"
#include "queue_tree/placement.h"

namespace bayplan::queue_tree {
namespace {

using config::YamlNode;

const YamlNode* member(const YamlNode& node, std::string_view name) {
    const auto found = std::ranges::find_if(node.entries, [&](const auto& entry) { return entry.key.text == name; });
    return found == node.entries.end() ? nullptr : &found->value;
}

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

// None: no resources, or not something above zero and nothing below. JSON is YAML.
std::optional<Resources> resources_of(const Tags& tags, const char* name) {
    const auto tag = tags.find(name);
    YamlNode root;
    config::Faults faults;
    if (tag == tags.end() || !config::read_yaml(tag->second, name, root, faults)) return std::nullopt;
    const YamlNode* const resources = member(root, "resources");
    if (resources == nullptr) return std::nullopt;
    Resources amounts;
    for (const config::YamlEntry& entry : resources->entries) {
        const YamlNode* const value = member(entry.value, "value");
        const std::optional<std::int64_t> amount =
            value == nullptr ? std::optional<std::int64_t>(0) : number_of<std::int64_t>(value->text);
        if (!amount || *amount < 0) return std::nullopt;
        amounts[entry.key.text] = *amount;
    }
    if (!queue_config::any_above_zero(amounts)) return std::nullopt;
    return amounts;
}

}  // namespace

bool apply_quota_tags(const Tags& tags, QueueId id, QueueTable& queues) {
    if (queues[id].managed) return false;
    const Resources guaranteed = queues[id].guaranteed;
    const auto applications = tags.find("namespace.resourcemaxapps");
    queues.set_quota(id, resources_of(tags, "namespace.resourcequota"),
                     resources_of(tags, "namespace.resourceguaranteed"),
                     applications == tags.end() ? std::nullopt : number_of<std::uint64_t>(applications->second));
    return queues[id].guaranteed != guaranteed;
}

}  // namespace bayplan::queue_tree
