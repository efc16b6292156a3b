// A mapping of the file with names that are known: each value is asked for by its name, and at the end every name that
// nobody asked for is a fault. Equal names are one too; merge keys ("<<") are filled in.
//
// Thread: one reader's. Owner of the nodes: the caller.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/yaml_reader.h"
#include "queue_config/model.h"

namespace bayplan::queue_config {

// Where faults of one file go.
class FaultList {
public:
    FaultList(std::string file, config::Faults& faults) : file_(std::move(file)), faults_(faults) {}

    void add(Position position, std::string what, std::string remedy = {}) {
        faults_.push_back({file_, position, std::move(what), std::move(remedy)});
    }
    const std::string& file() const { return file_; }
    config::Faults& all() { return faults_; }

private:
    std::string file_;
    config::Faults& faults_;
};

class Fields {
public:
    // `what` is for faults: "queue root.a". Null is a mapping without entries.
    Fields(const config::YamlNode&, std::string what, FaultList&);

    // The value of the name, or null where the file has none.
    const config::YamlNode* find(std::string_view name);

    void text(std::string_view name, Text&);
    void flag(std::string_view name, bool&);
    void count(std::string_view name, std::uint64_t&, Position* = nullptr);
    // Items that are null are none. False: not there, or null.
    bool items(std::string_view name, const std::function<void(const config::YamlNode&)>& on_item);
    void texts(std::string_view name, std::vector<Text>&);
    // Every entry of this mapping, whose names are free.
    void each(const std::function<void(const std::string& key, const config::YamlNode& value)>& on_entry) const;
    // The same of a value.
    bool entries(std::string_view name,
                 const std::function<void(const std::string& key, const config::YamlNode& value)>& on_entry);
    void properties(std::string_view name, Properties&);

    // Sets its name in faults from now on: the name is only known when it was read.
    void rename(std::string what) { what_ = std::move(what); }

    // Faults for the names that were not asked for.
    void finish();

private:
    void gather(const config::YamlNode&);
    void merge_all(const config::YamlNode&);
    void merge(const config::YamlNode&);
    void expected(const config::YamlNode&, std::string_view name, std::string_view what);

    std::string what_;
    FaultList& faults_;
    std::vector<const config::YamlEntry*> entries_;  // in order of the file
    std::unordered_map<std::string_view, const config::YamlEntry*> by_name_;
    std::vector<std::string_view> known_;
};

// The text of a scalar; null is empty. A fault for lists and mappings.
Text read_text(const config::YamlNode&, const std::string& what, FaultList&);

}  // namespace bayplan::queue_config
