// Users and groups that may submit to a queue, or administer it: "users groups", both lists with commas, one blank
// between them; "*" is everybody. Access to a queue is access to everything below it.
//
// Thread: plain data, any.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bayplan::queue_config {

struct AccessList {
    bool everybody = false;
    std::vector<std::string> users;   // sorted
    std::vector<std::string> groups;  // sorted

    // None: the text has more than one blank.
    static std::optional<AccessList> parse(std::string_view text);

    bool allows(std::string_view user, std::span<const std::string> of_groups) const;
};

}  // namespace bayplan::queue_config
