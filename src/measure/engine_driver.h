// A shim and a daemon's loop in one thread: a load as batched messages into an Engine, decisions
// out, acknowledgements back. No wire and no ring in between: what is left is the engine.
//
// Thread: its owner's. Owns the engine and the records of the messages under construction.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/engine.h"
#include "workload/workload.h"

namespace bayplan::measure {

// Keeps the batches of decisions that the engine sends; looks at them only when asked.
//
// Thread: its calls as a sink come from the engine's teller, which may be a thread of its own; last_decision: any; all else
// after Engine::settle.
class BatchSink final : public DecisionSink {
public:
    bool blocks() const override { return false; }
    void hello_reply(ConnectionId, const HelloReply&) override {}
    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch> batch, std::size_t skip, std::uint64_t) override;
    bool state_applied(ConnectionId, std::uint64_t) override { return true; }
    void cut(ConnectionId, std::string_view) override { ++cuts_; }
    void log_line(std::string_view) override {}

    std::uint64_t last_decision() const { return last_decision_.load(std::memory_order_relaxed); }
    std::uint64_t cuts() const { return cuts_; }
    // Over the placements so far, in order.
    std::uint64_t placement_hash() const;
    // Different nodes that got a pod by a decision from this number on.
    std::size_t nodes_used(std::uint64_t from) const;
    // Items that the engine did not take.
    std::uint64_t rejections() const;
    // Asks that got a nominated node; pods that were told to go, in order.
    std::uint64_t nominations() const;
    std::vector<std::string> victims() const;
    // Over both, in order.
    std::uint64_t nomination_hash() const;
    // Forgets what it was sent: it would count as the engine's memory.
    void clear() { batches_.clear(); }

private:
    std::vector<std::shared_ptr<const DecisionBatch>> batches_;
    std::atomic<std::uint64_t> last_decision_{0};
    std::uint64_t cuts_ = 0;
};

class Scheduler;

class EngineDriver {
public:
    // `beside`: gets every input and every turn too (a test's oracle).
    EngineDriver(const workload::Workload&, const EngineOptions&, Scheduler* beside = nullptr);

    // Dictionary, nodes, applications, and the pods that run already.
    void register_cluster();
    // Every pod as an ask, 64 to a message. The engine decides nothing yet.
    void ask_all();
    // Attempts, decisions and acknowledgements until nothing can be selected any more, and everything has been told.
    void decide_all();
    // Asks and decisions by turns, as a daemon sees a stream: 16 messages, then attempts.
    void stream_all();
    // One message after the other, each decided before the next comes: the ns that each took.
    std::vector<std::int64_t> ask_one_by_one();
    // The load's churn: pods of `churn_step` come, are decided, and after `churn_stay` turns go.
    void churn_all();
    bool churns() const { return load_.churn_step > 0; }

    // To a read model beside; the feed outlives this.
    void publish_to(read_model::ChangeFeed& feed) { engine_.publish_to(feed); }
    bool publish() { return engine_.publish(); }

    const Engine& engine() const { return engine_; }
    const BatchSink& sink() const { return sink_; }
    void forget_decisions() { sink_.clear(); }

private:
    void apply(const Input&);
    void send(const StateBody&);
    DictId entry(std::string_view text);
    std::vector<Amount> encode(const workload::Amounts&);
    void send_entries();
    void define_fields();
    void state_running();
    void let_old_go(std::size_t first);
    void release_some(std::size_t first, std::size_t end);
    void ask_some(std::size_t first, std::size_t end);
    void turn();
    void acknowledge();
    void settle();

    const workload::Workload& load_;
    Scheduler* const beside_;
    BatchSink sink_;
    Engine engine_;
    std::uint64_t sequence_ = 0;
    std::uint64_t acknowledged_ = 0;
    std::unordered_map<std::string, DictId> ids_;
    std::vector<DictEntry> unsent_entries_;
    std::vector<std::vector<Amount>> pod_requests_;  // by shape
    std::vector<DictId> node_ids_;
    std::vector<AskItem> records_;
    std::vector<ReleaseItem> releases_;
    std::vector<DictId> applications_;
};

}  // namespace bayplan::measure
