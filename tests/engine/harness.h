// A shim in miniature for tests of the engine: names in, numbered state messages to Engine::apply out,
// decisions kept by kind.
//
// Thread: the test's. Owns the texts of the records it makes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace bayplan::testing {

// Of an engine whose workers are the caller's thread.
inline EngineOptions options_inline() {
    EngineOptions made;
    made.executor = ExecutorKind::inline_;
    return made;
}
inline EngineOptions options_with_queues() {
    EngineOptions made = options_inline();
    made.queues = true;
    return made;
}

// Keeps everything the engine says.
class KeepingSink : public DecisionSink {
public:
    struct Kept {
        DecisionKind kind;
        std::string name;
        std::string node;
        std::string text;
    };

    void hello_reply(ConnectionId, const HelloReply& reply) override { replies.push_back(reply.outcome); }
    bool decisions(ConnectionId connection, std::shared_ptr<const DecisionBatch> batch, std::size_t skip,
                   std::uint64_t) override {
        for (std::size_t index = skip; index < batch->decisions.size(); ++index) {
            const Decision& decision = batch->decisions[index];
            kept[connection].push_back(
                {decision.kind, std::string(decision.name), std::string(decision.node), std::string(decision.text)});
        }
        return true;
    }
    bool state_applied(ConnectionId, std::uint64_t) override { return true; }
    void cut(ConnectionId, std::string_view why) override { cuts.emplace_back(why); }
    void log_line(std::string_view line) override { log.emplace_back(line); }
    void preemption(std::string_view report) override { preemptions.emplace_back(report); }

    std::vector<HelloOutcome> replies;
    std::map<ConnectionId, std::vector<Kept>> kept;
    std::vector<std::string> cuts;
    std::vector<std::string> log;
    std::vector<std::string> preemptions;  // reports
};

class TestShim {
public:
    // `plugins`: that it serves, each ended by LF.
    TestShim(Engine& engine, std::string name, ConnectionId connection = 1, std::string_view plugins = {},
             bool judges_victims = false)
        : engine_(engine), name_(std::move(name)), connection_(connection) {
        engine_.apply(Connect{.connection = connection_,
                              .shim = name_,
                              .shim_instance = 7,
                              .plugins = plugins,
                              .judges_victims = judges_victims});
        send(ResyncBeginMessage{});
        send(ResyncEndMessage{});
    }

    DictId id(const std::string& text) {
        const auto found = ids_.find(text);
        if (found != ids_.end()) {
            return found->second;
        }
        const auto number = static_cast<DictId>(ids_.size() + 1);
        ids_.emplace(text, number);
        const DictEntry entry{number, text};
        send(DefineMessage{std::span(&entry, 1)});
        return number;
    }

    using Amounts = std::vector<std::pair<std::string, std::int64_t>>;

    void node(const std::string& name, const Amounts& capacity, NodeAction action = NodeAction::create) {
        const std::vector<Amount> amounts = encode(capacity);
        const NodeItem record{.node = id(name), .action = action, .capacity = amounts, .attributes = {}};
        send(NodesMessage{std::span(&record, 1)});
    }

    void application(const std::string& name) {
        const ApplicationItem record{.application = id(name)};
        send(ApplicationsMessage{.add = std::span(&record, 1), .remove = {}});
    }

    void ask(const std::string& key, const std::string& application, const Amounts& requests, int priority = 0,
             const std::string& required_node = {}) {
        const std::vector<Amount> amounts = encode(requests);
        AskItem record;
        record.key = key;
        record.application = id(application);
        record.priority = priority;
        record.required_node = required_node.empty() ? 0 : id(required_node);
        record.requests = amounts;
        send(AsksMessage{std::span(&record, 1)});
    }

    // Of a pod group; without a minimum its pods are tried one by one.
    void member(const std::string& key, const std::string& application, const std::string& group, std::uint32_t minimum,
                const Amounts& requests) {
        const std::vector<Amount> amounts = encode(requests);
        AskItem record;
        record.key = key;
        record.application = id(application);
        record.group = id(group);
        record.group_min_available = minimum;
        record.requests = amounts;
        send(AsksMessage{std::span(&record, 1)});
    }

    void release(const std::string& key) {
        ReleaseItem record;
        record.key = key;
        send(ReleasesMessage{std::span(&record, 1)});
    }

    void nack(const std::string& key) {
        const NackItem record{.key = key, .reason = "bind failed"};
        send(NacksMessage{std::span(&record, 1)});
    }

    void acknowledge(std::uint64_t up_to) { engine_.apply(Acknowledge{connection_, up_to}); }

    // Of a message that the caller applies.
    std::uint64_t next_sequence() { return ++sequence_; }

    void send(const StateBody& body) {
        engine_.apply(StateMessage{.connection = connection_, .sequence = ++sequence_, .body = body});
    }

private:
    std::vector<Amount> encode(const Amounts& amounts) {
        std::vector<Amount> encoded;
        for (const auto& [kind, value] : amounts) {
            encoded.push_back({id(kind), value});
        }
        return encoded;
    }

    Engine& engine_;
    std::string name_;
    ConnectionId connection_;
    std::uint64_t sequence_ = 0;
    std::map<std::string, DictId> ids_;
};

}  // namespace bayplan::testing
