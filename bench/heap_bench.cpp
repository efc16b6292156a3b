// Pending asks at a million: the order of the engine (queues/leaf_order.h, one or a thousand
// applications), the bare 4-ary heap under it (base/indexed_heap.h), and std::set as the peer
// from the standard library that can do the same things.
//
//   fill            a million inserts
//   pop_and_push    take the first, insert a new ask: the steady state
//   update          a random ask changes its priority
//   remove          a random ask is released (and inserted again: the pair is timed)
//
// 20 priorities; arrival breaks ties. Thread: the benchmark's. Time is per operation.
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <benchmark/benchmark.h>

#include "queues/leaf_order.h"

namespace bayplan::bench {
namespace {

constexpr std::uint32_t kPriorities = 20;
constexpr std::uint32_t kAsks = 1'000'000;

// xorshift64*: the same sequence on every machine.
class Random {
public:
    std::uint32_t below(std::uint32_t bound) {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return static_cast<std::uint32_t>((state_ * 0x2545f4914f6cdd1dU >> 32) * bound >> 32);
    }
    std::int32_t priority() { return static_cast<std::int32_t>(below(kPriorities)); }

private:
    std::uint64_t state_ = 0x9e3779b97f4a7c15U;
};

// The engine's.
template <std::uint32_t kApplications>
class Pending {
public:
    explicit Pending(std::uint32_t asks) : order_(std::make_unique<LeafOrder>(asks_)) {
        for (std::uint32_t application = 0; application < kApplications; ++application) {
            order_->add_application(static_cast<ApplicationId>(application), static_cast<ShimId>(0));
        }
        for (std::uint32_t ask = 0; ask < asks; ++ask) {
            asks_[asks_.add("ask", ask)].application = static_cast<ApplicationId>(ask % kApplications);
        }
    }

    void insert(std::uint32_t id, std::int32_t priority, std::uint64_t sequence) {
        PendingKey& key = asks_.waiting(static_cast<AskId>(id)).key;
        key.priority = priority;
        key.group_number = sequence;
        key.sequence = sequence;
        order_->insert(static_cast<AskId>(id));
    }
    void remove(std::uint32_t id) { order_->remove(static_cast<AskId>(id)); }
    std::uint32_t top() const { return raw(order_->peek()); }
    // As the engine does it: an ask is not inside while its key changes.
    void update(std::uint32_t id, std::int32_t priority) {
        remove(id);
        insert(id, priority, asks_.waiting(static_cast<AskId>(id)).key.sequence);
    }

private:
    AskTable asks_;
    const std::unique_ptr<PendingOrder> order_;
};

struct Key {
    std::int32_t priority = 0;
    std::uint64_t sequence = 0;
    bool comes_before(const Key& other) const {
        return priority != other.priority ? priority > other.priority : sequence < other.sequence;
    }
};

class Bare {
public:
    explicit Bare(std::uint32_t asks)
        : keys_(asks), positions_(asks, kNotInHeap), heap_(Before{&keys_}, Position{&positions_}) {}

    void insert(std::uint32_t id, std::int32_t priority, std::uint64_t sequence) {
        keys_[id] = {priority, sequence};
        heap_.insert(id);
    }
    void remove(std::uint32_t id) { heap_.remove(id); }
    std::uint32_t top() const { return heap_.top(); }
    void update(std::uint32_t id, std::int32_t priority) {
        keys_[id].priority = priority;
        heap_.update(id);
    }

private:
    struct Before {
        const std::vector<Key>* keys;
        bool operator()(std::uint32_t a, std::uint32_t b) const { return (*keys)[a].comes_before((*keys)[b]); }
    };
    struct Position {
        std::vector<std::uint32_t>* positions;
        std::uint32_t& operator()(std::uint32_t id) const { return (*positions)[id]; }
    };
    std::vector<Key> keys_;
    std::vector<std::uint32_t> positions_;
    IndexedHeap<std::uint32_t, Before, Position> heap_;
};

class Tree {
public:
    explicit Tree(std::uint32_t asks) : keys_(asks) {}

    void insert(std::uint32_t id, std::int32_t priority, std::uint64_t sequence) {
        keys_[id] = {-priority, sequence, id};
        order_.insert(keys_[id]);
    }
    void remove(std::uint32_t id) { order_.erase(keys_[id]); }
    std::uint32_t top() const { return std::get<2>(*order_.begin()); }
    void update(std::uint32_t id, std::int32_t priority) {
        remove(id);
        insert(id, priority, std::get<1>(keys_[id]));
    }

private:
    using Entry = std::tuple<std::int32_t, std::uint64_t, std::uint32_t>;
    std::vector<Entry> keys_;
    std::set<Entry> order_;
};

template <typename Order>
class Filled {
public:
    explicit Filled(std::uint32_t asks) : order_(std::make_unique<Order>(asks)), asks_(asks) {}
    void fill() {
        for (std::uint32_t id = 0; id < asks_; ++id) {
            order_->insert(id, random_.priority(), ++sequence_);
        }
    }
    Order& operator*() { return *order_; }
    std::uint64_t next_sequence() { return ++sequence_; }
    Random& random() { return random_; }

private:
    std::unique_ptr<Order> order_;
    const std::uint32_t asks_;
    Random random_;
    std::uint64_t sequence_ = 0;
};

template <typename Order>
void fill(benchmark::State& state) {
    const auto asks = static_cast<std::uint32_t>(state.range(0));
    for (auto _ : state) {
        state.PauseTiming();
        {
            Filled<Order> order(asks);
            state.ResumeTiming();
            order.fill();
            state.PauseTiming();
        }
        state.ResumeTiming();
    }
    state.SetItemsProcessed(state.iterations() * asks);
    state.counters["per_item"] = benchmark::Counter(static_cast<double>(state.iterations()) * asks,
                                                    benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

template <typename Order>
void pop_and_push(benchmark::State& state) {
    Filled<Order> order(static_cast<std::uint32_t>(state.range(0)));
    order.fill();
    for (auto _ : state) {
        const std::uint32_t first = (*order).top();
        (*order).remove(first);
        (*order).insert(first, order.random().priority(), order.next_sequence());
    }
}

template <typename Order>
void update(benchmark::State& state) {
    const auto asks = static_cast<std::uint32_t>(state.range(0));
    Filled<Order> order(asks);
    order.fill();
    for (auto _ : state) {
        (*order).update(order.random().below(asks), order.random().priority());
    }
}

template <typename Order>
void remove(benchmark::State& state) {
    const auto asks = static_cast<std::uint32_t>(state.range(0));
    Filled<Order> order(asks);
    order.fill();
    for (auto _ : state) {
        const std::uint32_t id = order.random().below(asks);
        (*order).remove(id);
        (*order).insert(id, order.random().priority(), order.next_sequence());
    }
}

template <typename Order>
void register_for(const std::string& name) {
    const std::pair<const char*, void (*)(benchmark::State&)> operations[] = {
        {"fill/", fill<Order>},
        {"pop_and_push/", pop_and_push<Order>},
        {"update/", update<Order>},
        {"remove/", remove<Order>},
    };
    for (const auto& [operation, function] : operations) {
        for (const std::uint32_t asks : {10'000u, kAsks}) {
            benchmark::RegisterBenchmark((operation + name).c_str(), function)->Arg(asks);
        }
    }
}

}  // namespace
}  // namespace bayplan::bench

int main(int argc, char** argv) {
    using namespace bayplan::bench;
    register_for<Pending<1>>("pending_1_application");
    register_for<Pending<1'000>>("pending_1000_applications");
    register_for<Bare>("indexed_heap");
    register_for<Tree>("std_set");
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    return benchmark::RunSpecifiedBenchmarks() > 0 ? 0 : 1;
}
