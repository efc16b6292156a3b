// See kube_selectors.h.
#include "kube_selectors.h"

#include <algorithm>
#include <stdexcept>

namespace bayplan::oracle {

namespace {

std::string quoted_part(const std::string& text) {
    const std::size_t first = text.find('"');
    return text.substr(first + 1, text.find('"', first + 1) - first - 1);
}

bool condition(const std::string& text, const Candidate& of) {
    const std::string has = "has(device.attributes[\"";
    const std::string value = "device.attributes[\"";
    if (text == "true") {
        return true;
    }
    if (text.starts_with("device.driver == ")) {
        return of.slice->driver == quoted_part(text);
    }
    if (text.starts_with(has)) {
        const std::size_t dot = text.find("].");
        return attribute(of, quoted_part(text), text.substr(dot + 2, text.size() - dot - 3)) != nullptr;
    }
    if (text.starts_with(value)) {
        const std::size_t dot = text.find("].");
        const std::size_t equal = text.find(" == ");
        const std::string id = text.substr(dot + 2, equal - dot - 2);
        const KubeDeviceValue* const found = attribute(of, quoted_part(text), id);
        if (found == nullptr) {
            throw ClaimError("CEL runtime error: no such key: " + id);
        }
        return found->type == AttributeType::number && found->number == std::stoll(text.substr(equal + 4));
    }
    throw std::logic_error("a selector of another form: " + text);
}

}  // namespace

const KubeDeviceValue* attribute(const Candidate& of, const std::string& domain, const std::string& id) {
    const auto& attributes = of.device->attributes;
    if (const auto whole = attributes.find(domain + "/" + id); whole != attributes.end()) {
        return &whole->second;
    }
    const auto bare = attributes.find(id);
    return domain == of.slice->driver && bare != attributes.end() ? &bare->second : nullptr;
}

namespace {

// Conditions are looked at up to the first that is false.
bool holds(const std::string& selector, const Candidate& of) {
    for (std::size_t at = 0; at != std::string::npos;) {
        const std::size_t end = selector.find(" && ", at);
        if (!condition(selector.substr(at, end == std::string::npos ? end : end - at), of)) {
            return false;
        }
        at = end == std::string::npos ? end : end + 4;
    }
    return true;
}

}  // namespace

bool matches(const std::vector<std::string>& selectors, const Candidate& of, const std::string& whose) {
    for (std::size_t at = 0; at < selectors.size(); ++at) {
        try {
            if (!holds(selectors[at], of)) {
                return false;
            }
        } catch (const ClaimError& error) {
            throw ClaimError(whose + ": selector #" + std::to_string(at) + ": " + error.what());
        }
    }
    return true;
}

}  // namespace bayplan::oracle
