// Writing without waiting, and what happens when there is no room. See change_feed.h.

#include "read_model/change_feed.h"

#include <utility>

#include "base/check.h"

namespace bayplan::read_model {

namespace {

// The model is woken when so much of the ring waits: it is to stay far from full. Else it looks by itself.
constexpr std::size_t kWakeAtShare = 8;

}  // namespace

// --- the engine's

void ChangeFeed::write(const ChangeHead& head, const ChangeRing::Texts& texts) {
    if (!lost()) {
        count(ring_.write(head, texts));
    }
}

// Settings whose record found no room have a number that no record has.
void ChangeFeed::write(const ChangeHead& head, Settings settings) {
    if (lost()) {
        return;
    }
    const std::uint64_t number = ++settings_count_;
    const bool pushed = settings_.push(Numbered{number, std::move(settings)});
    count(pushed && ring_.write(head, {as_text(number)}));
}

void ChangeFeed::lose() {
    losses_.fetch_add(1, std::memory_order_relaxed);
    lost_.store(true, std::memory_order_release);
    waker_.notify();
}

// The beginning is counted before anybody can see that no more is lost: a reader that asks for all that was told waits for
// the snapshot.
bool ChangeFeed::begin_again(std::int64_t now_ns) {
    if (!asked_.exchange(false, std::memory_order_acquire) ||
        !ring_.write({.kind = ChangeKind::snapshot_begin, .time_ns = now_ns}, {})) {
        return false;
    }
    count(true);
    lost_.store(false, std::memory_order_release);
    return true;
}

void ChangeFeed::turn_ends(std::int64_t now_ns) {
    now_ns_.store(now_ns, std::memory_order_relaxed);
    if (ring_.bytes_written() - woken_at_ > ring_.capacity() / kWakeAtShare) {
        woken_at_ = ring_.bytes_written();
        waker_.notify();
    }
}

// --- the model's

Settings ChangeFeed::take_settings(const Change& change) {
    const auto number = from_text<std::uint64_t>(change.texts[0]);
    Numbered next;
    do {
        BP_CHECK(settings_.pop(next));
    } while (next.number != number);
    return std::move(next.settings);
}

void ChangeFeed::ask_for_snapshot_if_lost() {
    if (lost_.load(std::memory_order_acquire)) {
        asked_.store(true, std::memory_order_release);
    }
}

}  // namespace bayplan::read_model
