// The ring of events. See event_store.h.

#include "events/event_store.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>

namespace bayplan::events {

namespace {

constexpr std::size_t kTexts = 4;

}  // namespace

struct EventStore::Head {
    EventType type;
    EventChange change;
    EventDetail detail;
    std::array<std::uint32_t, kTexts> lengths;
    std::int64_t time_ns;
};

EventStore::EventStore(StoreLimits limits)
    : limits_({std::max<std::size_t>(limits.events, 1), std::max<std::size_t>(limits.bytes, 4'096)}),
      instance_(boost::uuids::to_string(boost::uuids::random_generator()())),
      bytes_(std::make_unique_for_overwrite<char[]>(limits_.bytes)),
      places_(limits_.events) {}

// --- writers

// Bytes are counted on over all rounds: what lies more than a round behind the end has been written over.
std::uint64_t EventStore::place_for(std::size_t bytes) {
    const std::size_t to_end = limits_.bytes - end_ % limits_.bytes;
    const std::uint64_t begin = bytes <= to_end ? end_ : end_ + to_end;
    while (lowest_ < next_ && (next_ - lowest_ == limits_.events || place(lowest_) + limits_.bytes < begin + bytes)) {
        ++lowest_;
    }
    return begin;
}

void EventStore::append(const Event& event) {
    const std::array<std::string_view, kTexts> texts = {event.object, event.reference, event.message, event.amounts};
    Head head{event.type, event.change, event.detail, {}, event.time_ns};
    std::size_t bytes = sizeof head;
    for (std::size_t at = 0; at < kTexts; ++at) {
        head.lengths[at] = static_cast<std::uint32_t>(texts[at].size());
        bytes += texts[at].size();
    }
    const std::lock_guard held(lock_);
    ++counters_.created;
    if (bytes > limits_.bytes / 4) {
        return;
    }
    const std::uint64_t begin = place_for(bytes);
    char* at = bytes_.get() + begin % limits_.bytes;
    std::memcpy(at, &head, sizeof head);
    at += sizeof head;
    for (const std::string_view text : texts) {
        at = std::copy(text.begin(), text.end(), at);
    }
    place(next_) = begin;
    ++next_;
    end_ = begin + bytes;
    ++counters_.stored;
}

void EventStore::append_gap(std::int64_t time_ns, std::string_view partition) {
    append({.time_ns = time_ns,
            .object = partition,
            .message = "events were lost here: the engine changed faster than its changes were taken in"});
    const std::lock_guard held(lock_);
    ++counters_.gaps;
}

void EventStore::wake_waiting() {
    const std::lock_guard held(lock_);
    if (waiting_ == 0) {
        return;
    }
    for (auto& [number, stream] : streams_) {
        if (stream.waits) {
            stream.waits = false;
            stream.wake();
        }
    }
    waiting_ = 0;
}

// --- readers

EventSlice EventStore::read(std::uint64_t from, std::size_t events_max, std::size_t bytes_max, std::uint64_t wait_as) {
    EventSlice slice;
    slice.next = from;
    const std::lock_guard held(lock_);
    if (next_ > 0) {
        slice.lowest = lowest_;
        slice.highest = next_ - 1;
    }
    slice.overtaken = from < lowest_;
    while (!slice.overtaken && slice.next < next_ && slice.size() < events_max) {
        const char* const begin = bytes_.get() + place(slice.next) % limits_.bytes;
        Head head;
        std::memcpy(&head, begin, sizeof head);
        std::size_t bytes = sizeof head;
        for (const std::uint32_t length : head.lengths) {
            bytes += length;
        }
        if (slice.size() > 0 && slice.bytes_.size() + bytes > bytes_max) {
            return slice;
        }
        slice.starts_.push_back(slice.bytes_.size());
        slice.bytes_.append(begin, bytes);
        ++slice.next;
    }
    if (const auto stream = streams_.find(wait_as); slice.next == next_ && stream != streams_.end()) {
        waiting_ += stream->second.waits ? 0 : 1;
        stream->second.waits = true;
    }
    return slice;
}

Event EventSlice::operator[](std::size_t at) const {
    EventStore::Head head;
    const char* text = bytes_.data() + starts_[at];
    std::memcpy(&head, text, sizeof head);
    text += sizeof head;
    Event event{.type = head.type, .change = head.change, .detail = head.detail, .time_ns = head.time_ns};
    const std::array<std::string_view*, kTexts> texts = {&event.object, &event.reference, &event.message,
                                                         &event.amounts};
    for (std::size_t which = 0; which < kTexts; ++which) {
        *texts[which] = {text, head.lengths[which]};
        text += head.lengths[which];
    }
    return event;
}

std::uint64_t EventStore::id_before_end(std::uint64_t events) const {
    const std::lock_guard held(lock_);
    return next_ - std::min(events, next_ - lowest_);
}

// --- streams

std::uint64_t EventStore::add_stream(std::function<void()> wake) {
    const std::lock_guard held(lock_);
    streams_.emplace(++last_stream_, Stream{std::move(wake)});
    return last_stream_;
}

void EventStore::remove_stream(std::uint64_t number) {
    const std::lock_guard held(lock_);
    if (const auto stream = streams_.find(number); stream != streams_.end()) {
        waiting_ -= stream->second.waits ? 1 : 0;
        streams_.erase(stream);
    }
}

void EventStore::count_cut() {
    const std::lock_guard held(lock_);
    ++counters_.streams_cut;
}

StoreCounters EventStore::counters() const {
    const std::lock_guard held(lock_);
    return counters_;
}

}  // namespace bayplan::events
