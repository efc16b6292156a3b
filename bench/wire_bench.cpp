// Frames of 64 asks and of 64 decisions: encode, verify, and decode (which verifies).
//
// An ask is as a Kubernetes shim sends it: a 40-character key, four resources, six tags. A decision
// is an allocation on one of eight nodes. Counters: ns per item, bytes per item.
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "wire/codec.h"

namespace bayplan::wire {
namespace {

constexpr std::size_t kItems = 64;

// Owns what its messages point to.
class Traffic {
public:
    Traffic() : asks_(kItems), decisions_(kItems) {
        for (std::size_t i = 0; i < kItems; ++i) {
            std::string key = "7f3e2c1a-95b4-4d60-8a17-" + std::to_string(100'000'000'000 + i);
            keys_.push_back(key.substr(0, 36) + "/" + std::to_string(100 + i));
            nodes_.push_back("ip-10-12-" + std::to_string(i % 8) + "-17.eu-central-1.compute.internal");
        }
        for (std::size_t i = 0; i < kItems; ++i) {
            AskItem& ask = asks_[i];
            ask.key = keys_[i];
            ask.application = 12;
            ask.priority = 100;
            ask.created_s = 1'790'000'000;
            ask.requests = requests_;
            ask.tags = tags_;
            Decision& decision = decisions_[i];
            decision.kind = DecisionKind::allocated;
            decision.name = keys_[i];
            decision.node = nodes_[i];
        }
    }

    Message asks() const { return StateFrame{1, AsksMessage{asks_}}; }
    Message decisions() const { return DecisionsFrame{1, 1, decisions_}; }

private:
    std::vector<Amount> requests_ = {{1, 1500}, {2, 4'294'967'296}, {3, 1}, {4, 2}};
    std::vector<Attribute> tags_ = {{10, 20}, {11, 21}, {12, 22}, {13, 23}, {14, 24}, {15, 25}};
    std::vector<std::string> keys_;
    std::vector<std::string> nodes_;
    std::vector<AskItem> asks_;
    std::vector<Decision> decisions_;
};

void report(benchmark::State& state, std::size_t bytes) {
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kItems));
    state.counters["bytes_per_item"] = static_cast<double>(bytes) / kItems;
    state.counters["per_item"] = benchmark::Counter(static_cast<double>(state.iterations()) * kItems,
                                                    benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void encode(benchmark::State& state, const Message& message) {
    Encoder encoder;
    std::size_t bytes = 0;
    for (auto _ : state) {
        const auto encoded = encoder.encode(message);
        bytes = encoded.size();
        benchmark::DoNotOptimize(encoded.data());
    }
    report(state, bytes);
}

void verify_frame(benchmark::State& state, const Message& message) {
    Encoder encoder;
    const auto bytes = encoder.encode(message);
    std::string error;
    for (auto _ : state) {
        if (!verify(bytes, error)) {
            state.SkipWithError(error.c_str());
        }
    }
    report(state, bytes.size());
}

void decode(benchmark::State& state, const Message& message) {
    Encoder encoder;
    const auto bytes = encoder.encode(message);
    DecodedFrame frame;
    std::string error;
    for (auto _ : state) {
        if (!frame.decode(bytes, Limits{}, error)) {
            state.SkipWithError(error.c_str());
        }
        benchmark::DoNotOptimize(&frame.message());
    }
    report(state, bytes.size());
}

const Traffic traffic;

BENCHMARK_CAPTURE(encode, asks, traffic.asks());
BENCHMARK_CAPTURE(verify_frame, asks, traffic.asks());
BENCHMARK_CAPTURE(decode, asks, traffic.asks());
BENCHMARK_CAPTURE(encode, decisions, traffic.decisions());
BENCHMARK_CAPTURE(verify_frame, decisions, traffic.decisions());
BENCHMARK_CAPTURE(decode, decisions, traffic.decisions());

}  // namespace
}  // namespace bayplan::wire

BENCHMARK_MAIN();
