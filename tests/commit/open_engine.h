// An engine whose parts can be reached, with its loop: next, early asks, attempt.
//
// Thread: the test's. Owns everything.
#pragma once

#include "recording_sink.h"
#include "tests/engine/open_parts.h"

namespace bayplan::testing {

struct OpenEngine : OpenParts<property::RecordingSink> {
    explicit OpenEngine(const EngineOptions& chosen) : OpenParts(chosen, std::size_t{16} << 10, 1) {}

    // The next ask to be tried, out of its batch, or kNone: if there is none, or a gang is next.
    AskId next() {
        if (world.resyncs.holding > 0) {
            return kNone<AskId>;
        }
        const Element element = pipeline.next();
        if (!element.empty() && is_coscheduled(world.asks[element.front()].group)) {
            put_back(element);
            return kNone<AskId>;
        }
        return element.empty() ? kNone<AskId> : element.front();
    }
    void run(std::uint64_t attempts_max) {
        std::uint64_t made = 0;
        while (made < attempts_max && world.resyncs.holding == 0) {
            if (attempts.act_on_a_reservation()) {
                ++made;
                continue;
            }
            AskId due = kNone<AskId>;
            const Element element = next_element(due);
            if (element.empty()) {
                break;
            }
            made += element.size();
            if (is_coscheduled(world.asks[element.front()].group)) {
                gang_attempts.make(element);
            } else {
                attempts.make(element.front());
            }
            settle();
        }
        room.stir(made > 0);
        lifecycle.lives().settle();
        announcer.turn_ends();
    }

private:
    // `due` is what the element refers to, if an ask's placeholder has gone.
    Element next_element(AskId& due) {
        if (lifecycle.placeholders().any_due()) {
            pipeline.give_all_back();
            due = lifecycle.placeholders().take_due();
            return Element(&due, 1);
        }
        const Element element = pipeline.next();
        return element.empty() ? lifecycle.take_early() : element;
    }

    void put_back(Element element) {
        world.order->refund(element);
        for (const AskId member : element) {
            change_state(world.asks[member], AskEvent::put_back);
        }
        world.order->insert(element);
    }
};

}  // namespace bayplan::testing
