// Which connection a shim drives its partition by, over all lcores: a newer connection takes the
// older one's place, also when another lcore has that. A process (instance) whose place another took stays out for a while,
// as long as the other is there: else two with one certificate would push each other out for ever.
//
// Used when connections open and close, never per message, so a mutex does.
//
// Thread: any lcore's; builds: any. Owner: shared by the gateways of a port and the REST interface.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bayplan/messages.h"

namespace bayplan::daemon {

class ShimRegistry {
public:
    explicit ShimRegistry(std::size_t lcores) {
        for (std::size_t i = 0; i < lcores; ++i) replaced_.push_back(std::make_unique<Replaced>());
    }

    using Clock = std::chrono::steady_clock;
    static constexpr Clock::duration kStaysOut = std::chrono::minutes(5);
    static constexpr std::size_t kReplacedKept = 16;  // processes remembered of a shim, the newest

    // From now on this is the shim's connection; the one before is put on its lcore's list. False: nothing has changed,
    // as another process replaced this one less than kStaysOut ago and is there.
    bool claim(std::size_t partition, const std::string& shim, std::size_t lcore, ConnectionId connection,
               std::uint64_t instance, Clock::time_point now) {
        const std::lock_guard lock(mutex_);
        const auto [current, is_first] =
            holders_.try_emplace({partition, shim}, Holder{lcore, connection, instance, {}});
        if (is_first) return true;
        Holder& holder = current->second;
        std::erase_if(holder.out, [&](const Out& out) { return now - out.since >= kStaysOut; });
        for (const Out& out : holder.out) {
            if (out.instance == instance) return false;
        }
        if (holder.instance != instance) holder.out.push_back({holder.instance, now});
        if (holder.out.size() > kReplacedKept) holder.out.erase(holder.out.begin());
        const Holder older = std::exchange(holder, Holder{lcore, connection, instance, holder.out});
        Replaced& list = *replaced_[older.lcore];
        list.connections.push_back(older.connection);
        list.some.store(true, std::memory_order_release);
        return true;
    }
    // The connection has closed; a newer one's claim stays.
    void release(std::size_t partition, const std::string& shim, ConnectionId connection) {
        const std::lock_guard lock(mutex_);
        const auto found = holders_.find({partition, shim});
        if (found != holders_.end() && found->second.connection == connection) holders_.erase(found);
    }
    // Connections of this lcore that were replaced since the last call; the lcore closes them.
    std::vector<ConnectionId> take_replaced(std::size_t lcore) {
        Replaced& list = *replaced_[lcore];
        if (!list.some.load(std::memory_order_acquire)) return {};
        const std::lock_guard lock(mutex_);
        list.some.store(false, std::memory_order_relaxed);
        return std::exchange(list.connections, {});
    }

    // The last word of a shim on its build: lines KEY=VALUE. Kept when it goes, while the daemon knows of it. True: the
    // partition had one shim so far, and this is the second.
    bool note_build(std::size_t partition, const std::string& shim, std::string_view build) {
        const std::lock_guard lock(mutex_);
        const auto [noted, is_first] = builds_.insert_or_assign({partition, shim}, std::string(build));
        return is_first &&
               std::ranges::count(builds_, partition, [](const auto& each) { return each.first.first; }) == 2;
    }
    std::string build_of(std::size_t partition, const std::string& shim) const {
        const std::lock_guard lock(mutex_);
        const auto found = builds_.find({partition, shim});
        return found == builds_.end() ? std::string() : found->second;
    }

private:
    // A process that was replaced.
    struct Out {
        std::uint64_t instance = 0;
        Clock::time_point since;
    };
    struct Holder {
        std::size_t lcore = 0;
        ConnectionId connection = 0;
        std::uint64_t instance = 0;
        std::vector<Out> out;
    };
    struct Replaced {
        std::vector<ConnectionId> connections;
        std::atomic<bool> some{false};
    };
    mutable std::mutex mutex_;
    std::map<std::pair<std::size_t, std::string>, Holder> holders_;      // partition, common name
    std::map<std::pair<std::size_t, std::string>, std::string> builds_;  // likewise
    std::vector<std::unique_ptr<Replaced>> replaced_;
};

}  // namespace bayplan::daemon
