// Many specs with one label, and many terms that want it: what comes and what changes costs nothing for terms that nobody
// asks about, and a term is found by the label that tells most.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/harness.h"
#include "work.h"

namespace bayplan::attacks {
namespace {

using testing::KeepingSink;
using testing::TestShim;

class Crowd {
public:
    Crowd() {
        shim_.application("app");
        for (int node = 0; node < 4; ++node) {
            shim_.node("node-" + std::to_string(node), {{"cpu", 1'000'000}, {"pods", 4'000}});
        }
    }

    // Pods with the label app=web and one of their own; with a term that means app=web and, for its second requirement, others.
    struct Pods {
        bool with_term = false;
        LabelOperator second = LabelOperator::not_in;  // of the label of their own
        bool selects_namespaces = false;
    };
    void define(std::size_t number, const Pods& pods) {
        SpecItem record{static_cast<SpecNumber>(number), {}};
        const Text web = shim_.id("web");
        const Text own = shim_.id("own-" + std::to_string(number));
        record.spec.name_space = shim_.id("team");
        record.spec.labels = {{shim_.id("app"), web}, {shim_.id("own"), own}};
        if (pods.with_term) {
            PodTerm term;
            term.topology_key = shim_.id("zone");
            term.selector =
                LabelSelector{{{shim_.id("app"), LabelOperator::in, {web}}, {shim_.id("own"), pods.second, {own}}}};
            if (pods.selects_namespaces) {
                term.namespace_selector = LabelSelector{{{shim_.id("tier"), LabelOperator::exists, {}}}};
            }
            record.spec.preferred_anti_affinity = {{1, term}};
        }
        shim_.send(SpecsMessage{.define = std::span(&record, 1), .forget = {}});
    }
    void ask(std::size_t number) {
        AskItem record;
        const std::string key = "pod-" + std::to_string(number);
        record.key = key;
        record.application = shim_.id("app");
        record.spec = static_cast<SpecNumber>(number);
        shim_.send(AsksMessage{std::span(&record, 1)});
    }
    // So many, placed: each has a plan, and the sets of its term.
    void place(std::size_t count, const Pods& pods) {
        for (std::size_t number = 1; number <= count; ++number) {
            define(number, pods);
            ask(number);
        }
        engine_.run(10 * count);
        ASSERT_EQ(engine_.counters().allocations, count);
    }
    std::size_t told(const std::string& text) {
        engine_.flush();
        const auto& kept = sink_.kept[1];
        return static_cast<std::size_t>(
            std::count_if(kept.begin(), kept.end(), [&](const auto& one) { return one.text == text; }));
    }
    void attempt() { engine_.run(1); }
    // Whether the engine says so of the first attempt.
    bool is_dear() {
        bool first = false;
        engine_.run(10, [&](std::uint64_t, bool dear) { return first = dear, true; });
        return first;
    }
    void label_namespace(int value) {
        ObjectItem object{Namespace{}};
        auto& labels = std::get<Namespace>(object.object);
        labels.name = shim_.id("team");
        labels.labels = {{shim_.id("tier"), shim_.id(std::to_string(value))}};
        object.removed = value % 2 == 1;
        shim_.send(ObjectsMessage{std::span(&object, 1)});
    }

private:
    KeepingSink sink_;
    Engine engine_{testing::options_inline(), sink_};
    TestShim shim_{engine_, "shim"};
};

std::uint64_t cost_of_specs_beside(std::size_t sets) {
    Crowd crowd;
    crowd.place(sets, {.with_term = true});
    const std::uint64_t before = work();
    for (std::size_t number = 1'001; number <= 1'100; ++number) {
        crowd.define(number, {});
    }
    return work() - before;
}

std::uint64_t cost_of_namespaces_beside(std::size_t sets) {
    Crowd crowd;
    crowd.place(sets, {.with_term = true, .selects_namespaces = true});
    const std::uint64_t before = work();
    for (int value = 0; value < 100; ++value) {
        crowd.label_namespace(value);
    }
    return work() - before;
}

std::uint64_t cost_of_pods_with_two_labels(std::size_t pods) {
    Crowd crowd;
    const std::uint64_t before = work();
    crowd.place(pods, {.with_term = true, .second = LabelOperator::in});
    return work() - before;
}

// The first of so many that wait together, where each plan holds thousands of specs against its sets.
std::uint64_t cost_of_the_first_of(std::size_t asks) {
    Crowd crowd;
    crowd.label_namespace(0);
    for (std::size_t number = 1; number <= 5'000; ++number) {
        crowd.define(number, {.with_term = number <= asks, .selects_namespaces = true});
    }
    for (std::size_t number = 1; number <= asks; ++number) crowd.ask(number);
    const std::uint64_t before = work();
    crowd.attempt();
    return work() - before;
}

TEST(CrowdedLabels, the_first_attempt_does_not_wait_for_the_plans_of_a_whole_batch) {
    const std::uint64_t few = cost_of_the_first_of(16);
    EXPECT_GT(few, 1'000u);
    EXPECT_LT(cost_of_the_first_of(64), 2 * few);
}

TEST(CrowdedLabels, an_attempt_that_looks_at_thousands_of_specs_is_dear) {
    for (const std::size_t specs : {100, 5'000}) {
        Crowd crowd;
        for (std::size_t number = 1; number <= specs; ++number) crowd.define(number, {.with_term = number == 1});
        crowd.ask(1);
        EXPECT_EQ(crowd.is_dear(), specs == 5'000) << specs;
    }
}

TEST(CrowdedLabels, specs_that_come_are_not_held_against_every_set) {
    const std::uint64_t few = cost_of_specs_beside(50);
    EXPECT_GT(few, 1'000u);  // it is counted
    EXPECT_LT(cost_of_specs_beside(400), 2 * few);
}

TEST(CrowdedLabels, a_namespace_that_changes_is_not_held_against_every_set) {
    const std::uint64_t few = cost_of_namespaces_beside(50);
    EXPECT_GT(few, 1'000u);
    EXPECT_LT(cost_of_namespaces_beside(400), 2 * few);
}

TEST(CrowdedLabels, no_more_than_1024_terms_want_a_label) {
    Crowd crowd;
    for (std::size_t number = 1; number <= 1'100; ++number) {
        crowd.define(number, {.with_term = true});
    }
    EXPECT_EQ(crowd.told("more than 1024 pod terms want one label"), 1'100u - 1'024);
    crowd.define(1'101, {.with_term = true, .second = LabelOperator::in});  // another label tells it apart
    crowd.define(1'102, {});
    EXPECT_EQ(crowd.told("more than 1024 pod terms want one label"), 1'100u - 1'024);
}

TEST(CrowdedLabels, terms_are_found_by_the_label_that_tells_most) {
    const std::uint64_t few = cost_of_pods_with_two_labels(50);
    EXPECT_GT(few, 1'000u);
    EXPECT_LT(cost_of_pods_with_two_labels(400), 2 * 8 * few);
}

}  // namespace
}  // namespace bayplan::attacks
