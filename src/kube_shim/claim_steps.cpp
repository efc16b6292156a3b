// See claim_steps.h.
#include "kube_shim/claim_steps.h"

namespace bayplan::kube_shim {

namespace {

std::string_view take_until(std::string_view& text, char separator) {
    const std::size_t end = text.find(separator);
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return part;
}

}  // namespace

std::map<std::string, std::vector<GivenDevice>, std::less<>> devices_by_claim(std::string_view decision) {
    std::map<std::string, std::vector<GivenDevice>, std::less<>> made;
    while (!decision.empty()) {
        std::string_view entry = take_until(decision, ',');
        if (!entry.starts_with('@')) {
            continue;  // counted by the node, and no claim's
        }
        entry.remove_prefix(1);
        const std::string claim(take_until(entry, ' '));
        GivenDevice& device = made[claim].emplace_back();
        device.request = take_until(entry, ' ');
        device.driver = take_until(entry, ' ');
        device.pool = take_until(entry, ' ');
        device.device = take_until(entry, ' ');
        device.admin_access = entry == "admin";
    }
    return made;
}

}  // namespace bayplan::kube_shim
