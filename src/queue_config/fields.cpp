// Names and values of a mapping, with the faults of both.
//
// Thread: any.
#include "queue_config/fields.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "queue_config/scalars.h"

namespace bayplan::queue_config {

using config::YamlEntry;
using config::YamlNode;
using YamlKind = YamlNode::Kind;

namespace {

bool is_merge_key(const YamlNode& key) { return key.kind == YamlKind::scalar && key.plain && key.text == "<<"; }

}  // namespace

Text read_text(const YamlNode& node, const std::string& what, FaultList& faults) {
    if (node.kind == YamlKind::sequence || node.kind == YamlKind::map) {
        faults.add(node.position, fmt::format("{} is {}", what, node.describe()), "give a text");
    }
    return {node.text, node.position};
}

Fields::Fields(const YamlNode& node, std::string what, FaultList& faults) : what_(std::move(what)), faults_(faults) {
    if (node.kind == YamlKind::map) {
        gather(node);
    } else if (node.kind != YamlKind::null) {
        faults_.add(node.position, fmt::format("{} is {}", what_, node.describe()), "give a mapping");
    }
}

void Fields::gather(const YamlNode& map) {
    for (const YamlEntry& entry : map.entries) {
        if (is_merge_key(entry.key)) continue;
        if (entry.key.kind != YamlKind::scalar) {
            faults_.add(entry.key.position, fmt::format("a key of {} is {}", what_, entry.key.describe()),
                        "give a name");
            continue;
        }
        const auto [same, is_new] = by_name_.emplace(entry.key.text, &entry);
        if (is_new) {
            entries_.push_back(&entry);
        } else {
            faults_.add(entry.key.position,
                        fmt::format("'{}' is given twice in {}, first on line {}", entry.key.text, what_,
                                    same->second->key.position.line),
                        "remove one of them");
        }
    }
    merge_all(map);
}

void Fields::merge_all(const YamlNode& map) {
    for (const YamlEntry& entry : map.entries) {
        if (!is_merge_key(entry.key)) continue;
        if (entry.value.kind == YamlKind::sequence) {
            for (const YamlNode& item : entry.value.items) merge(item);
        } else {
            merge(entry.value);
        }
    }
}

// Fields that are there already take precedence over merged fields.
void Fields::merge(const YamlNode& from) {
    if (from.kind != YamlKind::map) {
        faults_.add(from.position, fmt::format("what is merged into {} is {}", what_, from.describe()),
                    "merge a mapping, or a list of mappings");
        return;
    }
    for (const YamlEntry& entry : from.entries) {
        if (entry.key.kind == YamlKind::scalar && !is_merge_key(entry.key) &&
            by_name_.emplace(entry.key.text, &entry).second) {
            entries_.push_back(&entry);
        }
    }
    merge_all(from);
}

const YamlNode* Fields::find(std::string_view name) {
    known_.push_back(name);
    const auto found = by_name_.find(name);
    return found == by_name_.end() || found->second->value.kind == YamlKind::null ? nullptr : &found->second->value;
}

void Fields::expected(const YamlNode& node, std::string_view name, std::string_view what) {
    faults_.add(node.position, fmt::format("'{}' of {} is {}", name, what_, node.describe()),
                fmt::format("give {}", what));
}

void Fields::text(std::string_view name, Text& text) {
    if (const YamlNode* node = find(name)) text = read_text(*node, fmt::format("'{}' of {}", name, what_), faults_);
}

void Fields::flag(std::string_view name, bool& flag) {
    const YamlNode* const node = find(name);
    if (node == nullptr) return;
    const std::optional<bool> value = to_flag(*node);
    if (!value) return expected(*node, name, "true or false");
    flag = *value;
}

void Fields::count(std::string_view name, std::uint64_t& count, Position* position) {
    const YamlNode* const node = find(name);
    if (node == nullptr) return;
    if (position != nullptr) *position = node->position;
    const std::optional<std::uint64_t> value = to_count(*node);
    if (!value) return expected(*node, name, "a whole number, 0 or more");
    count = *value;
}

bool Fields::items(std::string_view name, const std::function<void(const YamlNode&)>& on_item) {
    const YamlNode* const node = find(name);
    if (node == nullptr) return false;
    if (node->kind != YamlKind::sequence) expected(*node, name, "a list");
    for (const YamlNode& item : node->items) {
        if (item.kind != YamlKind::null) on_item(item);
    }
    return true;
}

void Fields::texts(std::string_view name, std::vector<Text>& texts) {
    items(name, [&](const YamlNode& item) {
        texts.push_back(read_text(item, fmt::format("an item of '{}' of {}", name, what_), faults_));
    });
}

bool Fields::entries(std::string_view name, const std::function<void(const std::string&, const YamlNode&)>& on_entry) {
    const YamlNode* const node = find(name);
    if (node == nullptr) return false;
    Fields(*node, fmt::format("'{}' of {}", name, what_), faults_).each(on_entry);
    return true;
}

void Fields::each(const std::function<void(const std::string&, const YamlNode&)>& on_entry) const {
    for (const YamlEntry* entry : entries_) on_entry(entry->key.text, entry->value);
}

void Fields::properties(std::string_view name, Properties& properties) {
    entries(name, [&](const std::string& key, const YamlNode& value) {
        properties[key] = read_text(value, fmt::format("property '{}' of {}", key, what_), faults_).text;
    });
}

void Fields::finish() {
    for (const YamlEntry* entry : entries_) {
        if (std::ranges::find(known_, entry->key.text) != known_.end()) continue;
        const std::string_view near = config::nearest_name(entry->key.text, known_);
        faults_.add(entry->key.position, fmt::format("unknown key '{}' in {}", entry->key.text, what_),
                    near.empty() ? fmt::format("known are {}", fmt::join(known_, ", "))
                                 : fmt::format("did you mean '{}'?", near));
    }
}

}  // namespace bayplan::queue_config
