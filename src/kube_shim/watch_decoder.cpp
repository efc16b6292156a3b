// See watch_decoder.h.
#include "kube_shim/watch_decoder.h"

#include <optional>

namespace bayplan::kube_shim {

namespace {

std::optional<WatchEvent> event_of(std::string_view type) {
    static constexpr std::pair<std::string_view, WatchEvent> kTypes[] = {{"ADDED", WatchEvent::added},
                                                                         {"MODIFIED", WatchEvent::modified},
                                                                         {"DELETED", WatchEvent::deleted},
                                                                         {"BOOKMARK", WatchEvent::bookmark},
                                                                         {"ERROR", WatchEvent::error}};
    for (const auto& [name, event] : kTypes) {
        if (name == type) {
            return event;
        }
    }
    return std::nullopt;
}

}  // namespace

bool WatchDecoder::feed(std::string_view bytes, const OnEvent& on_event) {
    while (fault_.empty() && !bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        const std::string_view part = bytes.substr(0, end);
        if (line_.size() + part.size() > kLineBytesMax) {
            fault_ = "a line of the watch is longer than " + std::to_string(kLineBytesMax) + " bytes";
            break;
        }
        line_.append(part);
        if (end == std::string_view::npos) {
            break;
        }
        bytes.remove_prefix(end + 1);
        if (line_.find_first_not_of(" \t\r") != std::string::npos && !take_line(on_event)) {
            break;
        }
        line_.clear();
    }
    return fault_.empty();
}

bool WatchDecoder::take_line(const OnEvent& on_event) {
    line_.reserve(line_.size() + kube::kTextPadding);
    std::vector<kube::ObjectFault> faults;
    const auto take = [&](std::string_view type, const kube::ReadObject& object) {
        if (const std::optional<WatchEvent> event = event_of(type)) {
            on_event(*event, object);
        } else {
            fault_ = "'" + std::string(type) + "' is no type of an event";
        }
    };
    kube::read_watch_line(line_, "watch", take, faults);
    if (!faults.empty() && fault_.empty()) {
        fault_ = faults.front().to_string();
    }
    return fault_.empty();
}

}  // namespace bayplan::kube_shim
