// Sources of the messages that inform shims (bayplan/information.h), and which of them this daemon has: what it cannot tell, it
// does not offer.
//
// Thread: see each. Owner: the daemon; it outlives the gateways.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "events/event_store.h"
#include "rest/shim_states.h"
#include "wire/codec.h"

namespace bayplan::daemon {

// The queues of each partition, as the operator gave them. Shown by main, read by any.
class ConfigurationBoard {
public:
    struct Shown {
        std::string partition;
        std::string text;
    };

    void show(std::size_t partition, std::string name, std::string text) {
        {
            const std::lock_guard lock(lock_);
            shown_.resize(std::max(shown_.size(), partition + 1));
            shown_[partition] = std::make_shared<const Shown>(Shown{std::move(name), std::move(text)});
        }
        changes_.fetch_add(1, std::memory_order_release);
        for (const std::function<void()>& tell : tell_) tell();
    }
    // Called when a text was shown; before lcores run.
    void on_change(std::function<void()> tell) { tell_.push_back(std::move(tell)); }
    // Grows with each text that is shown.
    std::uint64_t changes() const { return changes_.load(std::memory_order_acquire); }
    // Null: the partition has none.
    std::shared_ptr<const Shown> of(std::size_t partition) const {
        const std::lock_guard lock(lock_);
        return partition < shown_.size() ? shown_[partition] : nullptr;
    }

private:
    std::vector<std::function<void()>> tell_;
    std::atomic<std::uint64_t> changes_{0};
    mutable std::mutex lock_;
    std::vector<std::shared_ptr<const Shown>> shown_;
};

struct ShimServices {
    ConfigurationBoard configuration;
    rest::ShimStates states;
    events::EventStore* events = nullptr;  // null: not told. Of one partition alone, which is one domain of trust
    bool shows_states = false;             // operators may ask for states of shims

    // Bits of wire::kFeaturesOfInformation.
    std::uint64_t features() const {
        return wire::kFeatureContainerStates | wire::kFeatureConfiguration |
               (events != nullptr ? wire::kFeatureEvents : 0) | (shows_states ? wire::kFeatureStateDump : 0);
    }
};

}  // namespace bayplan::daemon
