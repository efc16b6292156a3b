// See document.h.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "rest/document.h"
#include "rest/yaml_scalars.h"

namespace bayplan::rest {
namespace {

namespace json = boost::json;

json::value to_json(const DocumentNode& node) {
    struct Visitor {
        json::value operator()(bool flag) const { return flag; }
        json::value operator()(std::uint64_t count) const { return count; }
        // A whole number has no point in it, as in Go.
        json::value operator()(double number) const {
            const auto whole = static_cast<std::int64_t>(number);
            if (number > -1e15 && number < 1e15 && static_cast<double>(whole) == number) return whole;
            return number;
        }
        json::value operator()(const std::string& text) const { return json::string(text); }
        json::value operator()(const DocumentItems& items) const {
            json::array array;
            for (const DocumentNode& item : items) array.push_back(to_json(item));
            return array;
        }
        json::value operator()(const DocumentFields& fields) const {
            json::object object;
            for (const auto& [name, value] : fields) object.emplace(name, to_json(value));
            return object;
        }
    };
    return std::visit(Visitor(), node.value);
}

constexpr std::size_t kStep = 4;
constexpr std::size_t kBehindDash = 2;

// The next column of four that is to the right.
std::size_t deeper(std::size_t indent) { return (indent / kStep + 1) * kStep; }

class YamlWriter {
public:
    void fields(const DocumentFields& fields, std::size_t indent, bool behind_dash) {
        for (const auto& [name, value] : fields) {
            if (!behind_dash) text_.append(indent, ' ');
            behind_dash = false;
            text_ += yaml_scalar(name) + ":";
            behind_name(value, indent);
        }
    }
    std::string take() { return std::move(text_); }

private:
    void behind_name(const DocumentNode& node, std::size_t indent) {
        if (const auto* inner = std::get_if<DocumentFields>(&node.value)) {
            if (inner->empty()) return end(" {}");
            text_ += '\n';
            return fields(*inner, deeper(indent), false);
        }
        if (const auto* list = std::get_if<DocumentItems>(&node.value)) {
            if (list->empty()) return end(" []");
            text_ += '\n';
            return items(*list, deeper(indent));
        }
        end(" " + scalar(node));
    }

    void items(const DocumentItems& list, std::size_t indent) {
        for (const DocumentNode& item : list) {
            text_.append(indent, ' ');
            text_ += "- ";
            const auto* inner = std::get_if<DocumentFields>(&item.value);
            if (inner != nullptr && !inner->empty()) {
                fields(*inner, indent + kBehindDash, true);
            } else {
                end(inner != nullptr ? "{}" : scalar(item));
            }
        }
    }

    // Lists in lists are not shown anywhere.
    static std::string scalar(const DocumentNode& node) {
        struct Visitor {
            std::string operator()(bool flag) const { return flag ? "true" : "false"; }
            std::string operator()(std::uint64_t count) const { return fmt::format("{}", count); }
            std::string operator()(double number) const { return fmt::format("{}", number); }
            std::string operator()(const std::string& text) const { return yaml_scalar(text); }
            std::string operator()(const DocumentItems&) const { return "[]"; }
            std::string operator()(const DocumentFields&) const { return "{}"; }
        };
        return std::visit(Visitor(), node.value);
    }

    void end(const std::string& line) { text_ += line + "\n"; }

    std::string text_;
};

}  // namespace

std::string to_json_text(const DocumentNode& node) { return json::serialize(to_json(node)); }

std::string to_yaml_text(const DocumentNode& node) {
    YamlWriter writer;
    writer.fields(std::get<DocumentFields>(node.value), 0, false);
    return writer.take();
}

}  // namespace bayplan::rest
