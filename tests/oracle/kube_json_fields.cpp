// Small readers of JSON fields.
//
// Thread and errors: see kube_json_fields.h.
#include "kube_json_fields.h"

#include <stdexcept>

namespace bayplan::oracle::json {

std::optional<Element> child(Element element, std::string_view key) {
    simdjson::dom::object object;
    Element found;
    if (element.get(object) != simdjson::SUCCESS || object[key].get(found) != simdjson::SUCCESS || found.is_null()) {
        return std::nullopt;
    }
    return found;
}

std::optional<Element> at(Element element, std::string_view path) {
    std::optional<Element> here = element;
    while (here && !path.empty()) {
        const std::size_t dot = path.find('.');
        here = child(*here, path.substr(0, dot));
        path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    }
    return here;
}

std::string text(Element element, std::string_view path) {
    const auto found = at(element, path);
    return found ? std::string(std::string_view(*found)) : std::string();
}

bool flag(Element element, std::string_view path) {
    const auto found = at(element, path);
    return found && bool(*found);
}

std::int64_t number(Element element, std::string_view path, std::int64_t absent) {
    const auto found = at(element, path);
    return found ? std::int64_t(*found) : absent;
}

std::vector<Element> list(Element element, std::string_view path) {
    std::vector<Element> out;
    const auto found = at(element, path);
    if (found) {
        for (const Element one : simdjson::dom::array(*found)) {
            out.push_back(one);
        }
    }
    return out;
}

std::vector<std::string> texts(Element element, std::string_view path) {
    std::vector<std::string> out;
    for (const Element one : list(element, path)) {
        out.emplace_back(std::string_view(one));
    }
    return out;
}

KubeLabels labels(Element element, std::string_view path) {
    KubeLabels out;
    const auto found = at(element, path);
    if (found) {
        for (const auto& [key, value] : simdjson::dom::object(*found)) {
            out[std::string(key)] = std::string(std::string_view(value));
        }
    }
    return out;
}

NanoAmounts amounts(Element element, std::string_view path) {
    NanoAmounts out;
    const auto found = at(element, path);
    if (!found) {
        return out;
    }
    for (const auto& [key, value] : simdjson::dom::object(*found)) {
        const std::string digits = value.is_string() ? std::string(std::string_view(value)) : simdjson::minify(value);
        out[std::string(key)] = parse_quantity(digits);
    }
    return out;
}

KubeSelector requirements(Element element, std::string_view path) {
    static const std::map<std::string, LabelOperator> operators = {
        {"In", LabelOperator::in},         {"NotIn", LabelOperator::not_in},
        {"Exists", LabelOperator::exists}, {"DoesNotExist", LabelOperator::does_not_exist},
        {"Gt", LabelOperator::greater},    {"Lt", LabelOperator::less},
    };
    KubeSelector out;
    for (const Element one : list(element, path)) {
        out.push_back({text(one, "key"), operators.at(text(one, "operator")), texts(one, "values")});
    }
    return out;
}

KubeMaybeSelector selector(Element element, std::string_view path) {
    const auto found = at(element, path);
    if (!found) {
        return std::nullopt;
    }
    KubeSelector out;
    for (const auto& [key, value] : labels(*found, "matchLabels")) {
        out.push_back({key, LabelOperator::in, {value}});
    }
    const KubeSelector more = requirements(*found, "matchExpressions");
    out.insert(out.end(), more.begin(), more.end());
    return out;
}

KubeNodeTerm node_term(Element element) {
    return {requirements(element, "matchExpressions"), requirements(element, "matchFields")};
}

std::vector<KubeNodeTerm> node_terms(Element element, std::string_view path) {
    std::vector<KubeNodeTerm> out;
    for (const Element one : list(element, path)) {
        out.push_back(node_term(one));
    }
    return out;
}

std::uint8_t access_modes(Element element, std::string_view path) {
    static const std::map<std::string, AccessMode> modes = {
        {"ReadWriteOnce", AccessMode::read_write_once},
        {"ReadOnlyMany", AccessMode::read_only_many},
        {"ReadWriteMany", AccessMode::read_write_many},
        {"ReadWriteOncePod", AccessMode::read_write_once_pod},
    };
    std::uint8_t out = 0;
    for (const std::string& one : texts(element, path)) {
        out = std::uint8_t(out | std::uint8_t(modes.at(one)));
    }
    return out;
}

bool is_tracked(const std::string& kind) {
    if (kind == "cpu" || kind == "memory" || kind == "ephemeral-storage" || kind == "pods") {
        return true;
    }
    return kind.find('/') != std::string::npos || kind.starts_with("hugepages-") ||
           kind.starts_with("attachable-volumes-");
}

}  // namespace bayplan::oracle::json
