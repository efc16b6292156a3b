// A document to be shown, before it is known whether as JSON or as YAML: YuniKorn gives its configuration in both, from one
// structure whose fields are left out by different rules.
//
// Thread: plain data, any.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace bayplan::rest {

struct DocumentField;
struct DocumentNode;

using DocumentFields = std::vector<DocumentField>;  // in the order in which they are shown
using DocumentItems = std::vector<DocumentNode>;

struct DocumentNode {
    std::variant<bool, std::uint64_t, double, std::string, DocumentItems, DocumentFields> value;
};

struct DocumentField {
    std::string name;
    DocumentNode node;
};

std::string to_json_text(const DocumentNode&);  // compact, without a line end
std::string to_yaml_text(const DocumentNode&);  // block style, indented as YuniKorn's library does

}  // namespace bayplan::rest
