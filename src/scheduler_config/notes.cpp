// See notes.h.
#include "scheduler_config/notes.h"

#include <charconv>

#include <fmt/format.h>

#include "base/closest_name.h"

namespace bayplan::scheduler_config {

void Notes::fault(const std::string& where, const std::string& what) {
    faults.push_back(fmt::format("{}: {}: {}", file_, where, what));
}

void Notes::ignored(const kube::Value& value, const std::string& where, const char* why) {
    if (value.present()) {
        remarks.push_back(fmt::format("{}: {}: is not looked at: {}", file_, where, why));
    }
}

void Notes::only(const kube::Value& value, const std::string& where, std::initializer_list<std::string_view> names) {
    for (const kube::Member& member : value.members()) {
        if (std::ranges::find(names, member.name) == names.end()) {
            fault(where + (where.empty() ? "" : ".") + std::string(member.name),
                  "is not known" + did_you_mean(member.name, Names(names)));
        }
    }
}

std::optional<std::int64_t> whole(const kube::Value& value) {
    std::int64_t number = 0;
    const std::string_view text = value.text();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool sound = error == std::errc() && end == text.data() + text.size() && !text.empty();
    return sound ? std::optional(number) : std::nullopt;
}

}  // namespace bayplan::scheduler_config
