// The loop of the read model's thread, and how readers get versions. See read_model.h.

#include "read_model/read_model.h"

#include <algorithm>
#include <utility>

namespace bayplan::read_model {

namespace {

constexpr std::size_t kBurst = 4'096;
constexpr std::int64_t kLookEvery_ns = 20'000'000;
// A crowd of readers shares one.
constexpr std::chrono::milliseconds kVersionEvery{10};

}  // namespace

ReadModel::ReadModel(ChangeFeed& feed, std::function<void()> start, ModelListener* listener)
    : feed_(feed), model_(listener), thread_([this, start = std::move(start)] { run(start); }) {}

ReadModel::~ReadModel() {
    stop_.store(true, std::memory_order_release);
    feed_.waker().notify();
    thread_.join();
}

// --- readers

VersionPtr ReadModel::fresh(std::chrono::milliseconds wait_max) {
    const std::uint64_t target = feed_.written();
    std::unique_lock held(lock_);
    const auto is_stale = [&] { return feed_.is_stale() || !whole_.load(std::memory_order_relaxed); };
    const auto is_fresh = [&] { return newest_ != nullptr && newest_->changes >= target && !feed_.is_stale(); };
    const auto is_fresh_or_hopeless = [&] { return is_fresh() || (newest_ != nullptr && is_stale()); };
    if (!is_fresh()) {
        // Under the lock: a reader that wants more keeps its number.
        wanted_from_.store(std::max(target, wanted_from_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
        wanted_.store(true, std::memory_order_release);
        feed_.waker().notify();
        made_.wait_for(held, wait_max, is_fresh_or_hopeless);
    }
    return newest_;
}

ReadModelStatus ReadModel::status() const {
    constexpr double kMillisecond = 1e6;
    ReadModelStatus status;
    status.stale = feed_.is_stale() || !whole_.load(std::memory_order_relaxed);
    status.losses = feed_.losses();
    status.snapshots = snapshots_.load(std::memory_order_relaxed);
    const std::lock_guard held(lock_);
    const std::uint64_t changes = newest_ == nullptr ? 0 : newest_->changes;
    status.records_behind = std::max(feed_.written(), changes) - changes;
    status.versions = newest_ == nullptr ? 0 : newest_->number;
    if (status.records_behind > 0 && newest_ != nullptr) {
        status.ms_behind =
            static_cast<double>(std::max(feed_.now_ns() - newest_->now_ns, std::int64_t{0})) / kMillisecond;
    }
    return status;
}

// --- the thread

bool ReadModel::wants_version() const {
    if (!model_.can_make_version() || !model_.has_news() || !wanted_.load(std::memory_order_acquire)) {
        return false;
    }
    const std::lock_guard held(lock_);
    return newest_ == nullptr || (model_.changes() >= wanted_from_.load(std::memory_order_relaxed) &&
                                  Clock::now() - made_at_ >= kVersionEvery);
}

void ReadModel::make_version() {
    wanted_.store(false, std::memory_order_relaxed);
    VersionPtr version = model_.make_version();
    VersionPtr before;  // its chunks are let go of without the lock
    {
        const std::lock_guard held(lock_);
        before = std::exchange(newest_, std::move(version));
        made_at_ = Clock::now();
    }
    made_.notify_all();
}

void ReadModel::run(const std::function<void()>& start) {
    if (start) {
        start();
    }
    while (true) {
        const std::uint32_t epoch = feed_.waker().epoch();
        const bool stop = stop_.load(std::memory_order_acquire);
        const std::size_t taken = model_.take(feed_, kBurst);
        snapshots_.store(model_.snapshots(), std::memory_order_relaxed);
        if (whole_.exchange(model_.is_whole(), std::memory_order_relaxed) && !model_.is_whole()) {
            const std::lock_guard held(lock_);
            made_.notify_all();  // readers do not wait for a snapshot
        }
        while (wanted_.load(std::memory_order_relaxed) && model_.is_whole() && !model_.can_make_version() &&
               model_.take(feed_, 1) > 0) {
        }
        if (wants_version()) {
            make_version();
        } else if (stop) {
            break;
        }
        if (taken < kBurst) {
            feed_.waker().wait(epoch, wanted_.load(std::memory_order_relaxed) ? kLookEvery_ns / 4 : kLookEvery_ns);
        }
    }
}

}  // namespace bayplan::read_model
