// See notes.h.
#include "scheduler_config/notes.h"

#include <charconv>

#include <fmt/format.h>

#include "base/closest_name.h"
#include "kube/yaml_lines.h"

namespace bayplan::scheduler_config {

std::string Notes::place(const kube::Value& at) {
    if (root_ == nullptr) {
        return file_;
    }
    std::string path = path_to(*root_, at);
    if (path.empty() && &at != root_) {
        return file_;
    }
    if (lines_.empty()) {
        lines_ = kube::yaml_lines(text_);
    }
    // A value that an alias stands for has no line of its own: the alias has.
    auto found = lines_.find(path);
    while (found == lines_.end() && !path.empty()) {
        const std::size_t end = path.find_last_of(".[");
        path.resize(end == std::string::npos ? 0 : end);
        found = lines_.find(path);
    }
    return found == lines_.end() ? file_ : fmt::format("{}:{}", file_, found->second);
}

void Notes::fault(const kube::Value& at, const std::string& where, const std::string& what) {
    faults.push_back(fmt::format("{}: {}: {}", place(at), where, what));
}

void Notes::ignored(const kube::Value& value, const std::string& where, const char* why) {
    if (value.present()) {
        remarks.push_back(fmt::format("{}: {}: is not looked at: {}", place(value), where, why));
    }
}

void Notes::only(const kube::Value& value, const std::string& where, std::initializer_list<std::string_view> names) {
    for (const kube::Member& member : value.members()) {
        if (std::ranges::find(names, member.name) == names.end()) {
            fault(member.value, where + (where.empty() ? "" : ".") + std::string(member.name),
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
