// See resource_names.h.
#include "kube/resource_names.h"

#include <algorithm>

namespace bayplan::kube {

namespace {

bool is_alphanumeric(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
}

// A DNS subdomain: lower-case labels of letters, digits and '-', joined by dots.
bool is_domain(std::string_view text) {
    if (text.empty() || text.size() > 253) {
        return false;
    }
    bool edge = true;  // at the start of a label, where only a letter or a digit may stand
    char before = '.';
    for (const char letter : text) {
        const bool plain = is_alphanumeric(letter) && !(letter >= 'A' && letter <= 'Z');
        if (letter == '.' ? edge || before == '-' : !plain && (edge || letter != '-')) {
            return false;
        }
        edge = letter == '.';
        before = letter;
    }
    return !edge && before != '-';
}

bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= 63 && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
           std::all_of(text.begin(), text.end(), [](char letter) {
               return is_alphanumeric(letter) || letter == '-' || letter == '_' || letter == '.';
           });
}

bool is_native(std::string_view name) {
    return name.find('/') == std::string_view::npos || name.find("kubernetes.io/") != std::string_view::npos;
}

}  // namespace

bool is_extended_resource(std::string_view name) {
    // A quota spells it "requests.NAME", which must be a qualified name too.
    constexpr std::size_t kQuotaPrefix = std::string_view("requests.").size();
    if (is_native(name) || name.starts_with("requests.")) {
        return false;
    }
    const std::size_t slash = name.find('/');
    const std::string_view domain = name.substr(0, slash);
    return domain.size() + kQuotaPrefix <= 253 && is_domain(domain) && is_name(name.substr(slash + 1));
}

bool is_tracked_resource(std::string_view name) {
    return name == kCpuName || name == kMemoryName || name == "ephemeral-storage" || name.starts_with("hugepages-") ||
           name.starts_with("attachable-volumes-") || name.find("kubernetes.io/") != std::string_view::npos ||
           is_extended_resource(name);
}

bool is_pod_level_resource(std::string_view name) {
    return name == kCpuName || name == kMemoryName || name.starts_with("hugepages-");
}

}  // namespace bayplan::kube
