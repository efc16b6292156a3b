// See ended_applications.h.
#include "read_model/ended_applications.h"

#include <utility>

namespace bayplan::read_model {

namespace {

std::size_t bytes_of(const EndedApplication& one) {
    std::size_t bytes = sizeof one + one.message.size() + one.facts->name.size() + one.facts->queue.size() +
                        one.facts->user.size() + one.run->log.size() * sizeof(StateEntry);
    for (const std::string& group : one.facts->groups) {
        bytes += sizeof group + group.size();
    }
    for (const auto& [resource, amount] : one.most) {
        bytes += sizeof resource + resource.size() + sizeof amount;
    }
    return bytes;
}

}  // namespace

void EndedApplications::drop_first(Kind& kind) {
    kind.bytes -= bytes_of(*kind.all.front());
    kind.all.pop_front();
    kind.handed_out = nullptr;
}

void EndedApplications::add(EndedPtr one) {
    Kind& kind = kinds_[one->rejected ? 1 : 0];
    kind.bytes += bytes_of(*one);
    kind.all.push_back(std::move(one));
    kind.handed_out = nullptr;
    while (kind.all.size() > kEndedMax || kind.bytes > kEndedBytesMax) {
        drop_first(kind);
    }
}

std::shared_ptr<const EndedList> EndedApplications::list(bool rejected, std::int64_t now_ns) {
    Kind& kind = kinds_[rejected ? 1 : 0];
    while (!kind.all.empty() && now_ns - kind.all.front()->ended_ns() >= kEndedKept_ns) {
        drop_first(kind);
    }
    if (kind.handed_out == nullptr) {
        kind.handed_out = std::make_shared<const EndedList>(kind.all.begin(), kind.all.end());
    }
    return kind.handed_out;
}

}  // namespace bayplan::read_model
