// A setting: name, what it is, its bounds, and how it is read, printed and explained. Tables of
// these (settings.cpp) are the only description of the configuration: parsing, the manual and the
// printing of a Config all walk them.
//
// `Owner` is the struct that holds the value; a `Member` says where in it.
//
// Thread: any; tables are constant.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/fault.h"
#include "config/yaml_reader.h"
#include "threads/host_cpus.h"

namespace bayplan::config {

// Context that readers share: where faults go, and the facts that values are checked against.
struct ReadContext {
    std::string file;
    std::filesystem::path folder;  // relative paths in the file start here
    const threads::HostCpus& host;
    Faults& faults;
    std::map<std::string, Position> places;  // of every setting given, by path; for checks across settings

    void fault(Position, std::string what, std::string remedy);
    Position place_of(const std::string& path, Position otherwise) const;
};

// Not a type for each member, so that what reads and prints settings is compiled once for a type of values.
template <class Owner, class Value>
struct Member {
    std::function<Value&(Owner&)> of;

    Value& operator()(Owner& owner) const { return of(owner); }
    // `of` only names a place: it changes nothing.
    const Value& operator()(const Owner& owner) const { return of(const_cast<Owner&>(owner)); }
};

template <class Owner>
struct Setting {
    std::string name;
    std::string doc;     // sentences; what it is for
    std::string bounds;  // "1 .. 256", "a file", "one of a, b"
    // `path` names the value in messages: "partitions[0].batch".
    std::function<void(Owner&, const YamlNode&, const std::string& path, ReadContext&)> read;
    // YAML of the value: on the same line for a scalar, else lines of its own, indented.
    std::function<std::string(const Owner&, int indent)> print;
    // Of a section or a list of sections: the manual of what is inside. Empty for a scalar.
    std::function<std::string(int indent)> manual_inside;
    bool required = false;
};

template <class Owner>
using Settings = std::vector<Setting<Owner>>;

// --- the parts that do not depend on the owner
void note_not_a(const YamlNode&, const std::string& path, std::string_view wanted, ReadContext&);
// Finds the setting of each key by index; faults for unknown, doubled and non-text keys. The result
// has one entry per usable key.
struct FoundKey {
    std::size_t setting;
    const YamlNode* value;
    Position position;
};
std::vector<FoundKey> find_keys(const YamlNode& map, const std::vector<std::string_view>& known,
                                const std::string& path, ReadContext&);
std::string indentation(int indent);
std::string joined(const std::string& path, std::string_view name);
std::string manual_entry(int indent, const std::string& name, const std::string& value, const std::string& bounds,
                         const std::string& doc);

// --- a table against a mapping
template <class Owner>
void read_settings(const Settings<Owner>& table, Owner& owner, const YamlNode& node, const std::string& path,
                   ReadContext& context) {
    if (node.kind != YamlNode::Kind::map) {
        note_not_a(node, path, "a mapping (name: value)", context);
        return;
    }
    std::vector<std::string_view> names;
    for (const Setting<Owner>& setting : table) names.push_back(setting.name);
    std::vector<bool> given(table.size(), false);
    for (const FoundKey& key : find_keys(node, names, path, context)) {
        const std::string inner = joined(path, names[key.setting]);
        context.places[inner] = key.position;
        given[key.setting] = true;
        table[key.setting].read(owner, *key.value, inner, context);
    }
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (!table[i].required || given[i]) continue;
        context.fault(node.position, "'" + joined(path, table[i].name) + "' is missing",
                      "give " + table[i].bounds + ": " + table[i].doc);
    }
}

template <class Owner>
std::string print_settings(const Settings<Owner>& table, const Owner& owner, int indent) {
    std::string text;
    for (const Setting<Owner>& setting : table) {
        const std::string value = setting.print(owner, indent + 2);
        if (value.empty()) continue;  // not given and without a default
        text += indentation(indent) + setting.name + ":" + (value.front() == '\n' ? "" : " ") + value + "\n";
    }
    return text;
}

template <class Owner>
std::string settings_manual(const Settings<Owner>& table, int indent) {
    const Owner defaults{};
    std::string text;
    for (const Setting<Owner>& setting : table) {
        const bool section = static_cast<bool>(setting.manual_inside);
        const std::string value = section ? "" : setting.print(defaults, 0);
        text +=
            manual_entry(indent, setting.name, setting.required ? "(required)" : value, setting.bounds, setting.doc);
        if (section) text += setting.manual_inside(indent + 4);
    }
    return text;
}

// --- a section inside a section
template <class Owner, class Inner>
Setting<Owner> section(std::string_view name, const Settings<Inner>& table, Member<Owner, Inner> member,
                       std::string_view doc) {
    Setting<Owner> setting;
    setting.name = name;
    setting.doc = doc;
    setting.bounds = "a mapping";
    setting.read = [&table, member](Owner& owner, const YamlNode& node, const std::string& path, ReadContext& context) {
        read_settings(table, member(owner), node, path, context);
    };
    setting.print = [&table, member](const Owner& owner, int indent) {
        std::string inside = print_settings(table, member(owner), indent);
        if (!inside.empty()) inside.pop_back();
        return inside.empty() ? inside : "\n" + inside;
    };
    setting.manual_inside = [&table](int indent) { return settings_manual(table, indent); };
    return setting;
}

template <class Owner, class Inner>
Setting<Owner> list_of_sections(std::string_view name, const Settings<Inner>& table,
                                Member<Owner, std::vector<Inner>> member, std::string_view doc) {
    Setting<Owner> setting;
    setting.name = name;
    setting.doc = doc;
    setting.bounds = "a list of mappings";
    setting.read = [&table, member](Owner& owner, const YamlNode& node, const std::string& path, ReadContext& context) {
        if (node.kind != YamlNode::Kind::sequence) {
            note_not_a(node, path, "a list (- name: value)", context);
            return;
        }
        if (node.items.empty()) {
            context.fault(node.position, "'" + path + "' is empty", "give at least one entry");
        }
        for (const YamlNode& item : node.items) {
            const std::string inner = path + "[" + std::to_string(member(owner).size()) + "]";
            context.places[inner] = item.position;
            read_settings(table, member(owner).emplace_back(), item, inner, context);
        }
    };
    setting.print = [&table, member](const Owner& owner, int indent) {
        std::string text;
        for (const Inner& item : member(owner)) {
            std::string lines = print_settings(table, item, indent + 2);
            lines.pop_back();
            lines.replace(static_cast<std::size_t>(indent), 1, "-");
            text += "\n" + lines;
        }
        return text;
    };
    setting.manual_inside = [&table](int indent) { return settings_manual(table, indent); };
    return setting;
}

}  // namespace bayplan::config
