// Pods that need no plugin, decided on beside pods that need one, and beside as many that do not: what the first lose. Both in
// pairs, one right behind the other, in one process; the figure is the median of the pairs' ratios, which a busy machine moves
// less than it moves the times.
//
//   each message: 990 plain pods and 10 others -> apply -> attempts -> answers to queries of two messages ago
//
// Usage: plugin_bench [--pairs N] [--nodes N] [--pods N]
//
// Thread: one, whose CPU time counts. Errors: exit code 1 if a pod is left without a node.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/lines.h"
#include "engine/engine.h"
#include "measure/stopwatch.h"
#include "tests/engine/harness.h"

namespace bayplan::bench {
namespace {

constexpr std::uint32_t kOfMessage = 1'000;
constexpr std::uint32_t kOthers = 10;  // of a message: these need the plugin, or are plain as well
constexpr std::size_t kAnswersBehind = 2;
constexpr std::string_view kPlugin = "license";

struct Sizes {
    std::uint32_t pairs = 15;
    std::uint32_t nodes = 5'000;
    std::uint32_t pods = 100'000;
};

// Keeps the queries, and what must be acknowledged.
class QuerySink final : public DecisionSink {
public:
    void hello_reply(ConnectionId, const HelloReply&) override {}
    bool state_applied(ConnectionId, std::uint64_t) override { return true; }
    void cut(ConnectionId, std::string_view) override {}
    void log_line(std::string_view) override {}
    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch> batch, std::size_t skip, std::uint64_t) override {
        for (std::size_t i = skip; i < batch->decisions.size(); ++i) {
            const Decision& decision = batch->decisions[i];
            if (decision.kind == DecisionKind::queried) {
                queries.push_back({decision.query, 1 + static_cast<std::size_t>(
                                                           std::ranges::count(two_lists(decision.text).first, '\n'))});
            }
        }
        last = batch->first_sequence + batch->decisions.size() - 1;
        return true;
    }

    std::vector<std::pair<std::uint64_t, std::size_t>> queries;  // numbers, and how many nodes
    std::uint64_t last = 0;
};

class Run {
public:
    Run(const Sizes& sizes, bool others_need_it) : sizes_(sizes), others_need_it_(others_need_it) {
        for (std::uint32_t i = 0; i < sizes.nodes; ++i) {
            shim_.node("node-" + std::to_string(i), {{"cpu", 64'000}, {"pods", 110}});
        }
        shim_.application("app");
        SpecItem needing;
        needing.number = 1;
        needing.spec.plugins = {shim_.id(std::string(kPlugin))};
        shim_.send(SpecsMessage{.define = std::span(&needing, 1), .forget = {}});
        amounts_ = {{shim_.id("cpu"), 500}, {shim_.id("pods"), 1}};
    }

    // Seconds of CPU until all pods have their nodes; < 0: some have none.
    double decide_all() {
        const double start = measure::seconds_by(CLOCK_THREAD_CPUTIME_ID);
        for (std::uint32_t first = 0; first < sizes_.pods; first += kOfMessage) {
            ask(first, kOfMessage / kOthers);
            go_on();
            answer(kAnswersBehind);
        }
        answer(0);
        go_on();
        const double seconds = measure::seconds_by(CLOCK_THREAD_CPUTIME_ID) - start;
        return engine_.counters().placed == sizes_.pods ? seconds : -1;
    }
    // The others come first, and have no answer yet when the plain ones, whose time counts, are decided on.
    double decide_plain() {
        for (std::uint32_t first = 0; first < sizes_.pods / (kOfMessage / kOthers); first += kOfMessage) {
            ask(sizes_.pods + first, 1);
            go_on();
        }
        const double start = measure::seconds_by(CLOCK_THREAD_CPUTIME_ID);
        for (std::uint32_t first = 0; first < sizes_.pods; first += kOfMessage) {
            ask(first, 0);
            go_on();
        }
        const double seconds = measure::seconds_by(CLOCK_THREAD_CPUTIME_ID) - start;
        const std::uint64_t open = engine_.counters().plugin_queries_open;
        return engine_.counters().placed + open >= sizes_.pods + kOfMessage && (open > 0) == others_need_it_ ? seconds
                                                                                                             : -1;
    }
    double answering() const { return answering_; }

private:
    static EngineOptions options() {
        EngineOptions made;
        made.executor = ExecutorKind::inline_;
        return made;
    }

    // Each so many-th is one of the others; 0: none is.
    void ask(std::uint32_t first, std::uint32_t others_each) {
        keys_.clear();
        std::vector<AskItem> asks;
        for (std::uint32_t i = 0; i < kOfMessage; ++i) {
            AskItem& ask = asks.emplace_back();
            ask.key = keys_.emplace_back("pod-" + std::to_string(first + i));
            ask.application = app_;
            ask.requests = amounts_;
            const bool other = others_each != 0 && i % others_each == 0;
            ask.spec = other && others_need_it_ ? 1 : 0;
        }
        shim_.send(AsksMessage{asks});
    }
    void go_on() {
        engine_.run(UINT64_MAX);
        while (engine_.flush() > 0) {
        }
        shim_.acknowledge(sink_.last);
        asked_.push_back(std::exchange(sink_.queries, {}));
    }
    // Yes to all but the newest so many rounds.
    void answer(std::size_t left) {
        const double start = measure::seconds_by(CLOCK_THREAD_CPUTIME_ID);
        std::vector<PluginAnswer> answers;
        while (asked_.size() > left) {
            for (const auto& [number, nodes] : asked_.front()) {
                answers.push_back({.query = number, .verdicts = std::span(yes_).first(nodes), .lasting = true});
            }
            asked_.pop_front();
        }
        if (!answers.empty()) {
            shim_.send(PluginAnswersMessage{answers});
        }
        answering_ += measure::seconds_by(CLOCK_THREAD_CPUTIME_ID) - start;
    }

    const Sizes sizes_;
    const bool others_need_it_;
    QuerySink sink_;
    Engine engine_{options(), sink_};
    testing::TestShim shim_{engine_, "shim", 1, std::string(kPlugin) + "\n"};
    const DictId app_ = shim_.id("app");
    std::vector<Amount> amounts_;
    std::deque<std::string> keys_;
    std::deque<std::vector<std::pair<std::uint64_t, std::size_t>>> asked_;
    const std::vector<PluginVerdict> yes_ =
        std::vector<PluginVerdict>(PluginOptions::kNodesMax, PluginVerdict::feasible);
    double answering_ = 0;
};

struct Figures {
    double seconds = 0;
    double answering = 0;
    double plain = 0;  // beside others that wait for their answers
};

Figures measure_one(const Sizes& sizes, bool others_need_it) {
    const auto run = std::make_unique<Run>(sizes, others_need_it);
    const double seconds = run->decide_all();
    const double answering = run->answering();
    return {seconds, answering, std::make_unique<Run>(sizes, others_need_it)->decide_plain()};
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

int compare(const Sizes& sizes) {
    std::vector<double> ratios;
    std::vector<double> without_answers;
    std::vector<double> beside_open;
    std::vector<double> rates;
    for (std::uint32_t pair = 0; pair < sizes.pairs; ++pair) {
        Figures plain;
        Figures mixed;
        for (const bool others_need_it : {pair % 2 == 0, pair % 2 != 0}) {
            (others_need_it ? mixed : plain) = measure_one(sizes, others_need_it);
        }
        if (std::min({plain.seconds, mixed.seconds, plain.plain, mixed.plain}) < 0) {
            std::fprintf(stderr, "pods were left without a node\n");
            return 1;
        }
        ratios.push_back(plain.seconds / mixed.seconds);
        without_answers.push_back(plain.seconds / (mixed.seconds - mixed.answering));
        beside_open.push_back(plain.plain / mixed.plain);
        rates.push_back(sizes.pods / plain.seconds);
    }
    const auto [low, high] = std::ranges::minmax(ratios);
    std::printf("%u nodes, %u pods, 1 of 100 needs a plugin; %u pairs\n", sizes.nodes, sizes.pods, sizes.pairs);
    std::printf("plain alone            %.0f pods/s of CPU\n", median(rates));
    std::printf("plain ones beside it   %.3f of that\n", median(beside_open));
    std::printf("with the others' own    %.3f of that (%.3f to %.3f)\n", median(ratios), low, high);
    std::printf("but for the answers    %.3f of that\n", median(without_answers));
    return 0;
}

}  // namespace
}  // namespace bayplan::bench

int main(int argc, char** argv) {
    bayplan::bench::Sizes sizes;
    CLI::App app("pods that need no plugin, beside pods that need one");
    app.add_option("--pairs", sizes.pairs, "of runs");
    app.add_option("--nodes", sizes.nodes);
    app.add_option("--pods", sizes.pods);
    CLI11_PARSE(app, argc, argv);
    return bayplan::bench::compare(sizes);
}
