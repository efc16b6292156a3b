// Looks at all partitions now and then, on a thread of its own: their health, and a record of each minute.
//
// Thread: health, history: any; the loop is its own. Owner: the maker of the server, before it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "rest/condition_board.h"
#include "rest/history.h"
#include "rest/state_routes.h"

namespace bayplan::rest {

class Watch {
public:
    // `condition`: null: nobody audits.
    explicit Watch(const ShownPartitions& partitions, const ConditionBoard* condition = nullptr)
        : partitions_(partitions), condition_(condition) {}
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    // From now on it looks by itself. `begin`: called on the thread first (pins and names it).
    void start(std::function<void()> begin);
    // One look, on the caller's thread. False: an engine has told nothing yet.
    bool check_health();
    bool record(std::int64_t at_ns);

    std::shared_ptr<const std::string> health() const;  // JSON; null: none yet
    const History& history() const { return history_; }

private:
    void run();

    const ShownPartitions& partitions_;
    const ConditionBoard* const condition_;
    History history_;
    mutable std::mutex mutex_;  // of the two below
    std::shared_ptr<const std::string> health_;
    bool stop_ = false;
    std::condition_variable stopping_;
    std::thread thread_;
};

}  // namespace bayplan::rest
