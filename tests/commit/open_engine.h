// An engine whose parts can be reached, with its loop: next, early asks, attempt.
//
// Thread: the test's. Owns everything.
#pragma once

#include "recording_sink.h"
#include "tests/engine/open_parts.h"

namespace bayplan::testing {

struct OpenEngine : OpenParts<property::RecordingSink> {
    explicit OpenEngine(const EngineOptions& chosen) : OpenParts(chosen, std::size_t{16} << 10, 1) {}

    // The next ask to be tried, out of its batch, or kNone.
    AskId next() {
        if (world.resyncs.holding > 0) {
            return kNone<AskId>;
        }
        const Element element = pipeline.next();
        return element.empty() ? kNone<AskId> : element.front();
    }
    void run(std::uint64_t attempts_max) {
        for (std::uint64_t made = 0; made < attempts_max; ++made) {
            if (world.resyncs.holding == 0 && attempts.act_on_a_reservation()) {
                continue;
            }
            AskId id = next();
            if (id == kNone<AskId> && world.resyncs.holding == 0) {
                id = lifecycle.take_early();
            }
            if (id == kNone<AskId>) {
                break;
            }
            attempts.make(id);
        }
        announcer.turn_ends();
    }
};

}  // namespace bayplan::testing
