// Answers of plugins that are wrong in every way that a message can be: to queries of others, of long ago, or of none; of any
// length, with any verdict; twice. The laws hold after each, pods that need no plugin have their places at once, and when the
// plugins are honest in the end every pod gets its place.

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "base/lines.h"
#include "tests/engine/harness.h"
#include "tests/property/random.h"

namespace bayplan::testing {
namespace {

using property::Random;

struct OpenQuery {
    std::uint64_t number = 0;
    std::size_t nodes = 0;
    std::size_t victims = 0;  // that it offers
};

class QuerySink : public KeepingSink {
public:
    bool decisions(ConnectionId connection, std::shared_ptr<const DecisionBatch> batch, std::size_t skip,
                   std::uint64_t) override {
        for (std::size_t i = skip; i < batch->decisions.size(); ++i) {
            const Decision& decision = batch->decisions[i];
            if (decision.kind == DecisionKind::queried) {
                const auto others = static_cast<std::size_t>(std::ranges::count(two_lists(decision.text).first, '\n'));
                queries[connection].push_back({decision.query, 1 + others, 0});
            } else if (decision.kind == DecisionKind::victims_queried) {
                const auto offered = static_cast<std::size_t>(std::ranges::count(decision.text, '\n'));
                queries[connection].push_back({decision.query, 1, offered});
                ++about_victims;
            } else if (decision.kind == DecisionKind::released) {
                released.emplace_back(connection, decision.name);
            }
        }
        last[connection] = batch->first_sequence + batch->decisions.size() - 1;
        return true;
    }

    std::map<ConnectionId, std::vector<OpenQuery>> queries;  // all there ever were
    std::map<ConnectionId, std::uint64_t> last;              // decision
    std::vector<std::pair<ConnectionId, std::string>> released;
    std::uint64_t about_victims = 0;
};

// In a tight one there is no room for all pods, and plugins judge victims.
enum class Room : std::uint8_t { ample, tight };

class HostileWorld {
public:
    explicit HostileWorld(std::uint64_t seed, Room room = Room::ample)
        : room_(room),
          random_(seed),
          one_(engine_, "one", kOne, "license\n", room == Room::tight),
          other_(engine_, "other", kOther, "license\n", room == Room::tight) {
        for (TestShim* const shim : {&one_, &other_}) {
            shim->application("app");
            SpecItem needing;
            needing.number = 1;
            needing.spec.plugins = {shim->id("license")};
            shim->send(SpecsMessage{.define = std::span(&needing, 1), .forget = {}});
        }
        for (int i = 0; i < kNodes; ++i) {
            state_node(i, NodeAction::create);
        }
    }

    void step() {
        switch (random_.below(8)) {
            case 0: ask(); break;
            case 1: random_.chance(50) ? release() : end_victims(); break;
            case 2: state_node(static_cast<int>(random_.below(kNodes)), NodeAction::update); break;
            case 3: tick(random_.between(0, 3'000'000'000)); break;
            case 4: run(random_.below(20)); break;
            default: answer(); break;
        }
    }

    // Everything is asked about until every pod has its place; false: one never gets it.
    bool ends_well_with_honest_plugins() {
        for (int round = 0; round < 100 && !all_placed(); ++round) {
            tick(11'000'000'000);  // deadlines and backoffs are over
            run(1'000);
            for (const ConnectionId shim : {kOne, kOther}) {
                const std::vector<OpenQuery> asked = sink_.queries[shim];
                for (const OpenQuery& query : asked) {
                    const std::vector<PluginVerdict> yes(query.nodes, PluginVerdict::feasible);
                    const PluginAnswer honest{.query = query.number, .verdicts = yes};
                    send(shim, honest);
                }
            }
            flush();
        }
        return all_placed();
    }

    // The first law that is broken; empty: none.
    std::string fault() {
        std::vector<std::string> broken;
        engine_.audit(broken);
        return broken.empty() ? std::string() : broken.front();
    }
    // Of pods that need no plugin, after attempts.
    std::string waiting_without_plugin() const {
        for (const Pod& pod : pods_) {
            if (!pod.needs && !is_placed(pod)) {
                return pod.key;
            }
        }
        return {};
    }
    std::uint64_t faulty() const { return faulty_; }
    std::uint64_t asked_about_victims() const { return sink_.about_victims; }
    std::uint64_t victims() const { return victims_; }
    void run(std::uint64_t attempts) {
        engine_.run(attempts);
        flush();
    }

private:
    static constexpr ConnectionId kOne = 1;
    static constexpr ConnectionId kOther = 2;
    static constexpr int kNodes = 6;
    static constexpr std::size_t kPodsMax = 60;
    struct Pod {
        std::string key;
        ConnectionId shim = 0;
        bool needs = false;
    };

    void flush() {
        while (engine_.flush() > 0) {
        }
        for (const auto& [shim, last] : sink_.last) {
            engine_.apply(Acknowledge{shim, last});
        }
    }
    void tick(std::int64_t more_ns) {
        now_ns_ += more_ns;
        engine_.apply(Tick{now_ns_});
        flush();
    }
    void state_node(int number, NodeAction action) {
        const std::int64_t cpu = room_ == Room::tight ? 1'000 : 64'000;
        one_.node("n" + std::to_string(number), {{"cpu", cpu + random_.between(0, 9)}, {"pods", 110}}, action);
    }
    void ask() {
        if (pods_.size() >= kPodsMax) {
            return;
        }
        const Pod pod{"p" + std::to_string(++made_), random_.chance(50) ? kOne : kOther, random_.chance(75)};
        TestShim& shim = shim_of(pod.shim);
        const Amount amount{shim.id("cpu"), random_.between(1, 500)};
        AskItem record;
        record.key = pod.key;
        record.application = shim.id("app");
        record.priority = static_cast<std::int32_t>(random_.below(3));
        record.requests = std::span(&amount, 1);
        record.spec = pod.needs ? 1 : 0;
        shim.send(AsksMessage{std::span(&record, 1)});
        pods_.push_back(pod);
        run(pod.needs ? 0 : 1'000);
    }
    void release() {
        if (!pods_.empty()) {
            const auto at = pods_.begin() + static_cast<std::ptrdiff_t>(random_.below(pods_.size()));
            shim_of(at->shim).release(at->key);
            pods_.erase(at);
        }
    }
    void end_victims() {
        for (const auto& [shim, key] : std::exchange(sink_.released, {})) {
            const auto same = [&shim = shim, &key = key](const Pod& pod) { return pod.shim == shim && pod.key == key; };
            const std::size_t ended = std::erase_if(pods_, same);
            if (ended > 0) {
                shim_of(shim).release(key);
                ++victims_;
            }
        }
    }
    TestShim& shim_of(ConnectionId shim) { return shim == kOne ? one_ : other_; }
    void send(ConnectionId shim, const PluginAnswer& answer) {
        shim_of(shim).send(PluginAnswersMessage{std::span(&answer, 1)});
    }

    OpenQuery some_query() {
        const std::vector<OpenQuery>& asked = sink_.queries[random_.chance(80) ? kOne : kOther];
        if (asked.empty() || random_.chance(5)) {
            return {random_.chance(50) ? random_.next() : random_.below(3), static_cast<std::size_t>(random_.below(4))};
        }
        const std::size_t recent = std::min<std::size_t>(asked.size(), 4);
        return random_.chance(70) ? asked[asked.size() - 1 - random_.below(recent)]
                                  : asked[random_.below(asked.size())];
    }
    void answer() {
        const OpenQuery query = some_query();
        const std::size_t count = random_.chance(75) ? query.nodes : static_cast<std::size_t>(random_.below(2'000));
        std::vector<PluginVerdict> verdicts;
        for (std::size_t i = 0; i < count; ++i) {
            verdicts.push_back(static_cast<PluginVerdict>(random_.chance(90) ? 1 + random_.below(3) : 0));
        }
        static const std::vector<std::string> kTexts = {"", "no", std::string(600, 'x'), "line\nbreak", "\xff\x00"};
        std::vector<std::string> texts;
        std::vector<PluginReason> reasons;
        for (std::uint64_t i = random_.below(40); i > 0; --i) {
            texts.push_back(random_.chance(50) ? random_.pick(kTexts) : std::to_string(random_.next()));
        }
        for (const std::string& text : texts) {
            const bool far = random_.chance(20);
            reasons.push_back(
                {far ? std::numeric_limits<std::uint32_t>::max() - static_cast<std::uint32_t>(random_.below(3))
                     : static_cast<std::uint32_t>(random_.below(count + 2)),
                 text});
        }
        faulty_ += count != query.nodes || std::ranges::count(verdicts, PluginVerdict::unknown) > 0 ? 1 : 0;
        std::vector<std::uint32_t> victims;
        const bool any = random_.chance(80) && query.victims > 0;
        const bool first = any && random_.chance(50);
        for (std::size_t i = 0; any && (!first || random_.chance(5)) && i < query.victims; ++i) {
            if (random_.chance(60)) {
                victims.push_back(static_cast<std::uint32_t>(random_.chance(90) ? i : random_.below(2'000)));
            }
        }
        const PluginAnswer answer{
            .query = query.number,
            .verdicts = verdicts,
            .reasons = reasons,
            .failure = random_.chance(5) ? std::string_view(kTexts[2]) : std::string_view(),
            .lasting = random_.chance(30),
            .first_victims = first ? static_cast<std::uint32_t>(1 + random_.below(query.victims + 1)) : 0,
            .victims = victims};
        const ConnectionId by = random_.chance(50) ? kOne : kOther;
        send(by, answer);
        if (random_.chance(20)) {
            send(by, answer);
        }
        flush();
    }

    bool is_placed(const Pod& pod) const {
        const std::string state = engine_.ask_state(pod.shim == kOne ? "one" : "other", pod.key);
        return state == "allocated" || state == "unacknowledged";
    }
    bool all_placed() const {
        return std::ranges::all_of(pods_, [this](const Pod& pod) { return is_placed(pod); });
    }

    const Room room_;
    Random random_;
    QuerySink sink_;
    Engine engine_{options(), sink_};
    TestShim one_;
    TestShim other_;
    std::vector<Pod> pods_;
    std::uint64_t made_ = 0;
    std::uint64_t faulty_ = 0;
    std::uint64_t victims_ = 0;
    std::int64_t now_ns_ = 0;

    static EngineOptions options() {
        EngineOptions made;
        made.executor = ExecutorKind::inline_;
        made.plugins.nodes = 2;
        return made;
    }
};

class HostileAnswers : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(HostileAnswers, break_no_law_keep_no_other_pod_waiting_and_lose_nothing) {
    constexpr int kSteps = 3'000;
    HostileWorld world(GetParam());
    for (int step = 0; step < kSteps; ++step) {
        world.step();
        ASSERT_EQ(world.fault(), "") << "step " << step;
        ASSERT_EQ(world.waiting_without_plugin(), "") << "step " << step;
    }
    EXPECT_GT(world.faulty(), 100u) << "the answers are not as hostile as they should be";
    EXPECT_TRUE(world.ends_well_with_honest_plugins());
    EXPECT_EQ(world.fault(), "");
}

TEST_P(HostileAnswers, about_victims_break_no_law) {
    constexpr int kSteps = 3'000;
    HostileWorld world(GetParam(), Room::tight);
    for (int step = 0; step < kSteps; ++step) {
        world.step();
        ASSERT_EQ(world.fault(), "") << "step " << step;
    }
    EXPECT_GT(world.asked_about_victims(), 50u);
    EXPECT_GT(world.victims(), 2u) << "plugins seldom let anybody go";
}

INSTANTIATE_TEST_SUITE_P(Seeds, HostileAnswers, ::testing::Range<std::uint64_t>(1, 25));

}  // namespace
}  // namespace bayplan::testing
