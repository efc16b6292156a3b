// See event_stream.h.
#include "rest/event_stream.h"

#include <utility>

#include "answers/events.h"
#include "rest/errors.h"

namespace bayplan::rest {

namespace {

// Of events as the store has them; as JSON they are about three times as long.
constexpr std::size_t kBytesAtOnce = 16u << 10;
constexpr std::size_t kEventsAtOnce = 1'000;

}  // namespace

bool StreamPlaces::take(const std::string& host, std::uint32_t overall_max, std::uint32_t of_host_max) {
    const auto found = of_host_.find(host);
    if (overall_ >= overall_max || (found == of_host_.end() ? 0 : found->second) >= of_host_max) return false;
    ++overall_;
    ++of_host_[host];
    return true;
}

void StreamPlaces::give_back(const std::string& host) {
    --overall_;
    if (const auto found = of_host_.find(host); --found->second == 0) of_host_.erase(found);
}

EventStream::EventStream(events::EventStore& store, std::uint64_t history, std::function<void()> ended)
    : store_(store), next_id_(store.id_before_end(history)), ended_(std::move(ended)) {}

EventStream::~EventStream() {
    store_.remove_stream(number_);
    ended_();
}

void EventStream::on_wake(std::function<void()> wake) { number_ = store_.add_stream(std::move(wake)); }

http::ChunkSource::State EventStream::next(std::string& piece) {
    if (!std::exchange(begun_, true)) piece += answers::stream_head(store_.instance()) + "\n";
    const events::EventSlice slice = store_.read(next_id_, kEventsAtOnce, kBytesAtOnce, number_);
    if (slice.overtaken) {
        store_.count_cut();
        piece += error_answer(500, "Event stream was closed by the producer").body;
        return State::end;
    }
    for (std::size_t at = 0; at < slice.size(); ++at) {
        answers::put_event(piece, slice[at]);
        piece += '\n';
    }
    next_id_ = slice.next;
    return slice.next > slice.highest || slice.size() == 0 ? State::waiting : State::more;
}

}  // namespace bayplan::rest
