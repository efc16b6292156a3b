// The parts of settings that do not depend on what holds the value.
//
// Thread: any.
#include "config/setting.h"

#include <fmt/format.h>

#include <algorithm>

namespace bayplan::config {
namespace {

constexpr std::size_t kManualColumns = 100;

// Breaks a text at spaces so that lines stay readable in a terminal.
std::string wrapped(std::string_view text, int indent) {
    std::string result = indentation(indent);
    std::size_t column = static_cast<std::size_t>(indent);
    while (!text.empty()) {
        const std::size_t space = std::min(text.find(' '), text.size());
        if (column + space > kManualColumns && column > static_cast<std::size_t>(indent)) {
            result.back() = '\n';
            result += indentation(indent);
            column = static_cast<std::size_t>(indent);
        }
        result += text.substr(0, space);
        result += ' ';
        column += space + 1;
        text.remove_prefix(std::min(space + 1, text.size()));
    }
    result.back() = '\n';
    return result;
}

}  // namespace

void ReadContext::fault(Position position, std::string what, std::string remedy) {
    faults.push_back({file, position, std::move(what), std::move(remedy)});
}

Position ReadContext::place_of(const std::string& path, Position otherwise) const {
    const auto found = places.find(path);
    return found == places.end() ? otherwise : found->second;
}

void note_not_a(const YamlNode& node, const std::string& path, std::string_view wanted, ReadContext& context) {
    if (node.kind == YamlNode::Kind::null) {
        context.fault(node.position, fmt::format("'{}' has no value", path),
                      fmt::format("give {}, or remove the key", wanted));
        return;
    }
    context.fault(node.position, fmt::format("'{}' is {}", path, node.describe()), fmt::format("give {}", wanted));
}

std::vector<FoundKey> find_keys(const YamlNode& map, const std::vector<std::string_view>& known,
                                const std::string& path, ReadContext& context) {
    std::vector<FoundKey> found;
    std::map<std::string, int> first_line;
    const std::string where = path.empty() ? "at the top level" : "in " + path;
    for (const auto& [key, value] : map.entries) {
        if (key.kind != YamlNode::Kind::scalar) {
            context.fault(key.position, fmt::format("a key {} is {}", where, key.describe()), "give a name");
            continue;
        }
        const auto [earlier, is_first] = first_line.emplace(key.text, key.position.line);
        if (!is_first) {
            context.fault(key.position,
                          fmt::format("'{}' is given twice {}, first on line {}", key.text, where, earlier->second),
                          "remove one of them");
            continue;
        }
        const auto setting = std::find(known.begin(), known.end(), std::string_view(key.text));
        if (setting != known.end()) {
            found.push_back({static_cast<std::size_t>(setting - known.begin()), &value, key.position});
            continue;
        }
        const std::string_view near = nearest_name(key.text, known);
        context.fault(key.position, fmt::format("unknown key '{}' {}", key.text, where),
                      near.empty() ? fmt::format("known are {}", fmt::join(known, ", "))
                                   : fmt::format("did you mean '{}'?", near));
    }
    return found;
}

std::string indentation(int indent) { return std::string(static_cast<std::size_t>(indent), ' '); }

std::string joined(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

std::string manual_entry(int indent, const std::string& name, const std::string& value, const std::string& bounds,
                         const std::string& doc) {
    return fmt::format("{}{}:{}{}\n", indentation(indent), name, value.empty() ? "" : " ", value) +
           wrapped(fmt::format("{}: {}", bounds, doc), indent + 8);
}

}  // namespace bayplan::config
