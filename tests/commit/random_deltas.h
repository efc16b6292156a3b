// Deltas by chance on a world: each call makes one step that a decision might be made of, where the world has room for it.
//
// Thread: the test's.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "open_engine.h"
#include "random.h"

namespace bayplan::testing {

class RandomDeltas {
public:
    // `in_hand`: asks that were taken to be tried; those that stay so are the caller's to put back.
    RandomDeltas(OpenEngine& engine, property::Random& random, std::vector<AskId> in_hand)
        : engine_(engine),
          world_(engine.world),
          commit_(engine.lifecycle.commit()),
          random_(random),
          in_hand_(std::move(in_hand)) {}

    void step();
    // How often each kind of step was made, over all worlds: a kind that is never made proves nothing.
    static const std::vector<std::uint64_t>& made() { return made_; }
    static std::vector<std::string_view> names();

private:
    using Step = bool (RandomDeltas::*)();  // false: there was nothing to do it with
    struct NamedStep {
        std::string_view name;
        Step step;
    };
    static const std::vector<NamedStep>& steps();

    bool place();
    bool start();
    bool end();
    bool end_and_place();
    bool fail();
    bool wake();
    bool await();
    bool await_another();
    bool gate();
    bool bind();
    bool unbind();
    bool give_back();
    bool hold();
    bool drop_hold();
    bool reserve();
    bool drop_reservation();
    bool set_victims();
    bool nominate();
    bool drop_nomination();
    bool suspend();
    bool restore();
    bool evict();
    bool terminate();
    bool depart();
    bool exclude();
    bool let_in();
    bool avoid();
    bool look();

    template <typename Is>
    AskId any(Is&&);
    AskId any_placed();
    AskId any_waiting();
    Slot any_node();
    bool in_hand(AskId) const;

    OpenEngine& engine_;
    World& world_;
    Commit& commit_;
    property::Random& random_;
    std::vector<AskId> in_hand_;
    static std::vector<std::uint64_t> made_;
};

// Members of gangs are left alone: what becomes of one is to become of all, which no single delta sees to.
template <typename Is>
AskId RandomDeltas::any(Is&& is) {
    std::vector<AskId> asks;
    world_.asks.for_each([&](AskId id, const Ask& ask) {
        if (!is_coscheduled(ask.group) && is(id, ask)) {
            asks.push_back(id);
        }
    });
    return asks.empty() ? kNone<AskId> : random_.pick(asks);
}

}  // namespace bayplan::testing
