// Leaves below root.a, each with an application, at seconds that a test says: whom does the engine send away? Thread: one.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "harness.h"

namespace bayplan::testing {

class LeavesOfA : public ::testing::Test {
protected:
    using Names = std::vector<std::string>;
    static constexpr std::int64_t kSecond = 1'000'000'000;

    // An application of each name in the leaf of that name.
    void applications_in(std::initializer_list<const char*> leaves) {
        for (const char* name : leaves) {
            const ApplicationItem item{.application = shim_.id(name),
                                       .queue = shim_.id(std::string("root.a.") + name),
                                       .user = shim_.id("ann")};
            shim_.send(ApplicationsMessage{.add = std::span(&item, 1), .remove = {}});
        }
    }
    // partition, queues: what they have of their own in the file.
    void give_queues(const std::string& partition, const std::string& queues) {
        engine_.apply(QueuesText{.partition = "default",
                                 .text = "partitions:\n- name: default\n" + partition +
                                         "  queues:\n  - name: root\n    queues:\n" + queues});
        ASSERT_EQ(engine_.queues_fault(), "");
    }
    void pods(const std::string& leaf, int count, std::int64_t cores = 1, int priority = 0) {
        for (int i = 0; i < count; ++i) {
            shim_.ask(leaf + std::to_string(made_++), leaf, {{"cpu", cores * 1'000}, {"pods", 1}}, priority);
        }
        engine_.run(1'000);
    }
    void at(std::int64_t second) {
        engine_.apply(Tick{second * kSecond});
        engine_.run(1'000);
    }
    // Pods that were told to go since the last call, in order.
    Names gone() {
        engine_.flush();
        engine_.settle();
        Names names;
        const std::vector<KeepingSink::Kept>& kept = sink_.kept[1];
        for (; seen_ < kept.size(); ++seen_) {
            if (kept[seen_].kind == DecisionKind::released) {
                names.push_back(kept[seen_].name);
                text_ = kept[seen_].text;
            }
        }
        return names;
    }

    KeepingSink sink_;
    Engine engine_{options_with_queues(), sink_};
    TestShim shim_{engine_, "s"};
    std::string text_;  // of the last that was told to go
    int made_ = 0;
    std::size_t seen_ = 0;
};

}  // namespace bayplan::testing
