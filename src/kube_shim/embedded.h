// The partition by an engine in this process: for small clusters, and for tests.
//
// Decisions are acknowledged in the turn that tells them: the shim's books have them then.
//
// Thread: one, the shim's; the engine's proposals too (its executor is the inline one). Owns the engine.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/decision_sink.h"
#include "engine/engine.h"
#include "kube/object_converter.h"
#include "kube_shim/books.h"
#include "kube_shim/partition.h"
#include "kube_shim/untold.h"

namespace bayplan::kube_shim {

// All in this thread, no limits: there is one shim, and it is trusted.
EngineOptions embedded_options(EngineOptions);
// As kube-scheduler 1.35 decides.
EngineOptions kube_options();

class EmbeddedPartition final : public Partition, private DecisionSink {
public:
    using OnFault = std::function<void(const std::string&)>;

    // `tables` has the texts and specs that messages refer to; it and the handler outlive this object. `plugins`: that the
    // handler serves.
    EmbeddedPartition(const EngineOptions&, kube::ObjectConverter& tables, const std::vector<std::string>& plugins,
                      DecisionHandler&, OnFault);

    // Its turns state all that the books have; it decides from there on, once decide() was called.
    static std::unique_ptr<EmbeddedPartition> stated_by(Books&, const EngineOptions&, DecisionHandler&, OnFault);

    bool send(const StateBody&) override;
    bool answer(const PluginAnswer&) override;
    bool settled() const override { return true; }
    // The first statement is about to be made (R-SESSION-17), and has been made: from there on it decides.
    void begin() { apply(ResyncBeginMessage{}); }
    void stated();
    void decide() override { may_decide_ = true; }
    bool warm() const override { return to_state_ == nullptr; }
    bool decides() const { return stated_; }
    bool turn() override;
    Clock::time_point next_due() const override;

    const Engine& engine() const { return engine_; }

private:
    void hello_reply(ConnectionId, const HelloReply&) override {}
    bool state_applied(ConnectionId, std::uint64_t) override { return true; }
    void cut(ConnectionId, std::string_view why) override;
    bool decisions(ConnectionId, std::shared_ptr<const DecisionBatch>, std::size_t skip, std::uint64_t) override;
    void log_line(std::string_view) override {}

    void apply(const StateBody&);
    bool state_some();
    bool attempt_some();
    void define_what_is_new();
    bool tell();
    void tell(const Decision&);

    kube::ObjectConverter& tables_;
    DecisionHandler& handler_;
    OnFault on_fault_;
    std::uint64_t sequence_ = 0;
    Untold texts_;
    Untold specs_;
    Books* to_state_ = nullptr;  // of which something has still to be stated first
    bool may_decide_ = false;
    bool stated_ = false;
    std::vector<std::shared_ptr<const DecisionBatch>> untold_;
    std::uint64_t told_ = 0;
    std::uint64_t acknowledged_ = 0;
    Engine engine_;  // last: it calls this object
};

}  // namespace bayplan::kube_shim
