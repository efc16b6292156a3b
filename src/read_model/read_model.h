// The model on a thread of its own: takes in what an engine tells, and makes versions for readers.
//
// Thread: fresh, status: any; the loop is its own thread's. Owner: the maker of the engine; the feed outlives it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "read_model/change_feed.h"
#include "read_model/model.h"

namespace bayplan::read_model {

// How far readers are behind the engine.
struct ReadModelStatus {
    std::uint64_t records_behind = 0;  // told by the engine, not in the newest version
    double ms_behind = 0;              // between the engine's last tick and that of the newest version
    bool stale = false;                // records were lost: a snapshot is wanted or under way
    std::uint64_t losses = 0;          // times that the ring was full, ever
    std::uint64_t snapshots = 0;       // taken in, ever; the first one at the start
    std::uint64_t versions = 0;
};

class ReadModel {
public:
    // `start`: called on the thread before its first work (pins and names it).
    explicit ReadModel(ChangeFeed&, std::function<void()> start = {}, ModelListener* = nullptr);
    ~ReadModel();
    ReadModel(const ReadModel&) = delete;
    ReadModel& operator=(const ReadModel&) = delete;

    // A version with everything that the engine told before this call; or, after the time, the newest (null: none). While a
    // snapshot is wanted or under way the newest at once: it may take long. Without readers no versions are made.
    VersionPtr fresh(std::chrono::milliseconds wait_max);
    ReadModelStatus status() const;

private:
    using Clock = std::chrono::steady_clock;
    void run(const std::function<void()>& start);
    bool wants_version() const;
    void make_version();

    ChangeFeed& feed_;
    Model model_;  // the thread's
    std::atomic<bool> stop_{false};
    std::atomic<bool> wanted_{true};             // a reader asked
    std::atomic<std::uint64_t> wanted_from_{0};  // records that a version must have for readers that wait
    std::atomic<std::uint64_t> snapshots_{0};
    std::atomic<bool> whole_{false};
    mutable std::mutex lock_;  // of the two below
    std::condition_variable made_;
    VersionPtr newest_;
    Clock::time_point made_at_{};
    std::thread thread_;
};

}  // namespace bayplan::read_model
