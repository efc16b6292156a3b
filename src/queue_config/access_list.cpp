// Access lists from their text.
//
// Thread: any.
#include "queue_config/access_list.h"

#include <algorithm>

#include "queue_config/characters.h"

namespace bayplan::queue_config {
namespace {

// Names that no user or group could have are passed over, as YuniKorn does.
void add_names(std::string_view list, bool (*is_name)(std::string_view), std::vector<std::string>& names) {
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        const std::string_view name = list.substr(0, comma);
        if (is_name(name)) names.emplace_back(name);
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    std::ranges::sort(names);
}

}  // namespace

std::optional<AccessList> AccessList::parse(std::string_view text) {
    const std::size_t blank = text.find(' ');
    const std::string_view users = text.substr(0, blank);
    const std::string_view groups = blank == std::string_view::npos ? "" : text.substr(blank + 1);
    if (groups.find(' ') != std::string_view::npos) return std::nullopt;
    AccessList list;
    list.everybody = users == kWildcard || groups == kWildcard;
    add_names(users, is_user_name, list.users);
    add_names(groups, is_group_name, list.groups);
    return list;
}

bool AccessList::allows(std::string_view user, std::span<const std::string> of_groups) const {
    if (everybody || std::ranges::binary_search(users, user)) return true;
    return std::ranges::any_of(of_groups,
                               [&](const std::string& group) { return std::ranges::binary_search(groups, group); });
}

}  // namespace bayplan::queue_config
