// Who is told when a transaction has ended well, in this order: the order of what is tried next, where it wants to know;
// the decision log, the shims, the asks that wait, the counters.
//
// Thread: the engine's. Owner: Lifecycle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commit/commit_observer.h"
#include "engine/world.h"
#include "teller/announcer.h"

namespace bayplan {

class Lifecycle;

// The line of each decision; that of a placement is announced with its decision to the shim.
class LogWriter final : public CommitObserver {
public:
    using Kind = Happening::Kind;
    static constexpr HappeningKinds kKinds =
        kinds_of(Kind::failed, Kind::held, Kind::nomination_cleared, Kind::node_lost, Kind::sent_away, Kind::reserved,
                 Kind::reservation_cleared, Kind::queried, Kind::victims_queried, Kind::denied, Kind::claim_given_back,
                 Kind::permitted, Kind::rejected);

    LogWriter(const World& world, Announcer& announcer) : world_(world), announcer_(announcer) {}
    void observe(const Happening&) override;

private:
    // The key must outlive the line, which refers to it.
    LogLine line(const Happening&, std::string_view key, Slot) const;
    void failed(const Happening&);
    std::string victims_text(const std::vector<AskId>&) const;

    const World& world_;
    Announcer& announcer_;
};

// The decisions to shims.
class ShimTeller final : public CommitObserver {
public:
    ShimTeller(World& world, Lifecycle& lifecycle, Announcer& announcer)
        : world_(world), lifecycle_(lifecycle), announcer_(announcer) {}
    void observe(const Happening&) override;

private:
    void placed(const Happening&);
    void failed(const Happening&);
    void queried(const Happening&, DecisionKind);
    void say(DecisionKind, const Happening&, std::string_view text);
    void release(const Happening&, Termination);

    World& world_;
    Lifecycle& lifecycle_;
    Announcer& announcer_;
};

// The pending order, of asks that have their nodes for good, whose wait for a guarantee ends.
class OrderTeller final : public CommitObserver {
public:
    using Kind = Happening::Kind;
    static constexpr HappeningKinds kKinds = kinds_of(Kind::placed, Kind::started, Kind::queried, Kind::permitted);

    explicit OrderTeller(World& world) : world_(world) {}
    void observe(const Happening& happening) override {
        world_.order->ask_placed(happening.ask);
        if (!world_.guarantee_waits.empty()) {
            world_.guarantee_waits.end(happening.ask);
        }
    }

private:
    World& world_;
};

// Verdicts of plugins, which count while no pod comes to their node.
class PluginWatch final : public CommitObserver {
public:
    using Kind = Happening::Kind;
    static constexpr HappeningKinds kKinds =
        kinds_of(Kind::placed, Kind::started, Kind::confirmed, Kind::permitted, Kind::left);

    explicit PluginWatch(PluginTable& plugins) : plugins_(plugins) {}
    void observe(const Happening& happening) override { plugins_.node_changed(happening.slot); }

private:
    PluginTable& plugins_;
};

// Asks that wait for an event, and may be helped by it.
class WakeUps final : public CommitObserver {
public:
    explicit WakeUps(Lifecycle& lifecycle) : lifecycle_(lifecycle) {}
    void observe(const Happening&) override;

private:
    Lifecycle& lifecycle_;
};

class Tally final : public CommitObserver {
public:
    using Kind = Happening::Kind;
    static constexpr HappeningKinds kKinds =
        kinds_of(Kind::placed, Kind::confirmed, Kind::approved, Kind::queried, Kind::victims_queried, Kind::permitted,
                 Kind::failed, Kind::reserved, Kind::reservation_cleared);

    void observe(const Happening& happening) override {
        const bool kept = happening.kind == Kind::confirmed || happening.kind == Kind::approved;
        placed_ += happening.kind == Kind::placed || kept ? 1 : 0;
        const bool queried = happening.kind == Kind::queried || happening.kind == Kind::victims_queried;
        queried_ += queried && happening.tell ? 1 : 0;
        confirmed_ += kept ? 1 : 0;
        permitted_ += happening.kind == Kind::permitted ? 1 : 0;
        const bool ended = happening.kind == Kind::reservation_cleared && happening.tell;
        failed_ += happening.kind == Kind::failed || happening.kind == Kind::reserved || ended;
    }
    std::uint64_t placed() const { return placed_; }
    std::uint64_t failed() const { return failed_; }
    std::uint64_t queried() const { return queried_; }
    // Each ended in one of these ways; of an ask that kept its node the first counts.
    std::uint64_t attempts() const { return placed_ - confirmed_ + failed_ + queried_ + permitted_; }

private:
    std::uint64_t placed_ = 0;
    std::uint64_t queried_ = 0;
    std::uint64_t confirmed_ = 0;
    std::uint64_t permitted_ = 0;
    std::uint64_t failed_ = 0;
};

}  // namespace bayplan
