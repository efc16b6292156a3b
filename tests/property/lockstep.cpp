// The comparison of engine and oracle.
//
// Thread and errors: see lockstep.h.
#include "lockstep.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "explanations.h"

namespace bayplan::property {

namespace {

std::string differ(const std::string& what, const std::string& engine, const std::string& oracle) {
    return what + "\n    engine: " + engine + "\n    oracle: " + oracle;
}

std::string differ(const std::string& what, std::uint64_t engine, std::uint64_t oracle) {
    return engine == oracle ? "" : differ(what, std::to_string(engine), std::to_string(oracle));
}

std::string to_text(const oracle::NumberedDecision& decision) {
    return std::to_string(decision.number) + " kind " + std::to_string(static_cast<int>(decision.kind)) +
           " termination " + std::to_string(static_cast<int>(decision.termination)) + " name '" + decision.name +
           "' node '" + decision.node + "' text '" + decision.text + "'" + (decision.scale_up ? " scale up" : "") +
           " devices '" + decision.devices + "'";
}

// In the words of explanations.
bool says_that_it_wakes(const std::vector<std::string>& woken_by, oracle::WakeEvent event) {
    using Of = oracle::WakeEvent;
    const auto says = [&](std::string_view text) { return std::ranges::find(woken_by, text) != woken_by.end(); };
    switch (event) {
        case Of::node_changed: return says("a node added") && says("a node or its holds changed");
        case Of::node_undrained: return says("a node undrained");
        case Of::node_gone: return says("a node gone");
        case Of::allocation_ended: return says("a pod gone");
        case Of::pod_changed: return says("a pod placed");
        case Of::object_changed: return says("a claim, volume or namespace changed");
        case Of::claim_given_back: return says("a claim on devices given back");
        case Of::placed_pod_stated: return false;
    }
    return false;
}

bool is_waiting(const oracle::Ask& ask) {
    return ask.state == oracle::AskState::pending || ask.state == oracle::AskState::backoff ||
           ask.state == oracle::AskState::unschedulable;
}

}  // namespace

Lockstep::Lockstep(const EngineOptions& options, bool wakes_in_slices)
    : options_(options),
      wakes_in_slices_(wakes_in_slices),
      sink_(options.daemon_instance),
      engine_(std::make_unique<Engine>(options, sink_)),
      oracle_(options) {
    if (wakes_in_slices_) {
        engine_->wake_in_slices();
    }
}

std::string Lockstep::step(const Event& event) {
    ++steps_;
    if (const auto* attempts = std::get_if<RunEvent>(&event)) {
        if (const std::string difference = run(attempts->attempts_max); !difference.empty()) {
            return difference;
        }
    } else if (const auto* sink = std::get_if<SinkEvent>(&event)) {
        sink_.refuse(sink->refuses);
    } else {
        const Numbers numbers = resolve(event, oracle_, connections_);
        const auto* state = std::get_if<StateEvent>(&event);
        if (state != nullptr && state->piece_steps != 0) {
            apply_in_pieces(*state, numbers);
        } else {
            feed(*engine_, event, numbers, options_);
            feed(oracle_, event, numbers, options_);
        }
    }
    engine_->flush();
    return differences();
}

std::string Lockstep::run(std::uint64_t attempts_max) {
    engine_->catch_up(UINT32_MAX);
    const bool had_work = engine_->has_work();
    if (had_work != oracle_.has_work()) {
        return differ("has_work", std::to_string(had_work), std::to_string(oracle_.has_work()));
    }
    std::uint64_t made = 0;
    for (std::uint64_t more = 1; more > 0 && made < attempts_max; made += more) {
        more = engine_->run(attempts_max - made);
    }
    return differ("attempts made by run()", made, oracle_.run(attempts_max));
}

void Lockstep::apply_in_pieces(const StateEvent& event, const Numbers& numbers) {
    const oracle::Borrowed borrowed(event.body);
    StateMessage rest{numbers.connection, numbers.number, borrowed.body()};
    StateMessage piece;
    for (std::uint64_t pieces = 0; engine_->cut(rest, piece, event.piece_steps); ++pieces) {
        engine_->apply(piece);
        oracle_.apply(piece);
        if (pieces % 2 == 0) {
            engine_->run(1);
            oracle_.run(1);
        }
    }
    engine_->apply(rest);
    oracle_.apply(rest);
}

std::string Lockstep::differences() {
    // Before all asks that it woke have left their list, states are not yet as the oracle has them.
    if (wakes_in_slices_ && !engine_->catch_up(steps_ % 4)) {
        for (const std::string& difference : {compare_log(), compare_connections(), audits()}) {
            if (!difference.empty()) {
                return difference;
            }
        }
        return "";
    }
    for (const auto compare : {&Lockstep::compare_log, &Lockstep::compare_connections, &Lockstep::compare_asks,
                               &Lockstep::compare_queues, &Lockstep::compare_explanation, &Lockstep::compare_refused,
                               &Lockstep::compare_held, &Lockstep::compare_waiting_group, &Lockstep::compare_wakes}) {
        const std::string difference = (this->*compare)();
        if (!difference.empty()) {
            return difference;
        }
    }
    const std::string counters = compare_counters();
    return counters.empty() ? audits() : counters;
}

std::string Lockstep::compare_log() {
    const auto& engine = sink_.log();
    const auto& oracle = oracle_.log();
    for (; log_compared_ < std::min(engine.size(), oracle.size()); ++log_compared_) {
        if (engine[log_compared_] != oracle[log_compared_]) {
            return differ("decision log", engine[log_compared_], oracle[log_compared_]);
        }
    }
    if (engine.size() > oracle.size()) {
        return differ("decision log", engine[log_compared_], "(no such line)");
    }
    return engine.size() == oracle.size() ? "" : differ("decision log", "(no such line)", oracle[log_compared_]);
}

std::string Lockstep::compare_connections() {
    for (const auto& [id, story] : oracle_.connections()) {
        const std::string difference = compare_connection(id, story);
        if (!difference.empty()) {
            return "connection " + std::to_string(id) + " of " + story.shim + ": " + difference;
        }
    }
    return "";
}

std::string Lockstep::compare_connection(ConnectionId id, const oracle::ConnectionStory& story) {
    const auto found = sink_.delivered().find(id);
    if (found == sink_.delivered().end() || found->second.hellos.size() != 1) {
        return "not exactly one reply to the hello";
    }
    const Delivered& delivered = found->second;
    const HelloReply& hello = delivered.hellos[0];
    if (hello.outcome != story.outcome || hello.daemon_instance != options_.daemon_instance ||
        hello.state_applied != story.state_applied_at_hello || hello.credit_window != options_.credit_window) {
        return "another reply to the hello";
    }
    const std::string difference = compare_decisions(id, delivered, story);
    if (!difference.empty()) {
        return difference;
    }
    // A cut of a connection that was replaced is the engine's own business; others are not.
    if (story.cut != delivered.cut && (story.cut || story.counts)) {
        return differ("cut", std::to_string(delivered.cut), std::to_string(story.cut));
    }
    if (delivered.state_went_back) {
        return "the number of applied state messages went back";
    }
    if (!story.counts || sink_.refuses()) {
        return "";  // a prefix is all that can be asked
    }
    return differ("state messages told as applied", delivered.state_applied, oracle_.shims().at(story.shim).applied);
}

// What was delivered is what was decided, in order and without gaps; only what the shim
// acknowledged on this connection before it was delivered need not come. While the sink refuses,
// the end may be missing.
std::string Lockstep::compare_decisions(ConnectionId id, const Delivered& delivered,
                                        const oracle::ConnectionStory& story) {
    Compared& compared = decisions_compared_[id];
    const auto& expected = story.decisions;
    const auto skip = [&](std::uint64_t below) {
        while (compared.expected < expected.size() && expected[compared.expected].number < below &&
               expected[compared.expected].number <= story.acknowledged) {
            ++compared.expected;
        }
    };
    for (; compared.delivered < delivered.decisions.size(); ++compared.delivered, ++compared.expected) {
        const oracle::NumberedDecision& decision = delivered.decisions[compared.delivered];
        skip(decision.number);
        if (compared.expected >= expected.size() || decision != expected[compared.expected]) {
            return differ(
                "decision", to_text(decision),
                compared.expected >= expected.size() ? "(no such decision)" : to_text(expected[compared.expected]));
        }
    }
    if (story.counts && !sink_.refuses()) {
        skip(story.acknowledged + 1);
        if (compared.expected < expected.size()) {
            return differ("decision", "(not delivered)", to_text(expected[compared.expected]));
        }
    }
    return "";
}

std::string Lockstep::compare_counters() const {
    const EngineCounters engine = engine_->counters();
    const oracle::OracleCounters oracle = oracle_.counters();
    for (const std::string& difference :
         {differ("attempts", engine_->attempts(), oracle_.attempts()), differ("placed", engine.placed, oracle.placed),
          differ("failed", engine.failed, oracle.failed), differ("nodes", engine.nodes, oracle.nodes),
          differ("pending", engine.pending, oracle.pending), differ("backoff", engine.backoff, oracle.backoff),
          differ("unschedulable", engine.unschedulable, oracle.unschedulable),
          differ("waiting for a node", engine.waiting_for_node, oracle.waiting_for_node),
          differ("allocations", engine.allocations, oracle.allocations),
          differ("resyncs open", engine.resyncs_open, oracle.resyncs_open),
          differ("resyncs holding", engine.resyncs_holding, oracle.resyncs_holding),
          differ("resyncs overdue", engine.resyncs_overdue, oracle.resyncs_overdue),
          differ("looks for room", engine.room_looks, oracle.room_looks),
          differ("times that pods went for room", engine.room_preemptions, oracle.room_preemptions),
          differ("pods that went for room", engine.room_victims, oracle.room_victims),
          differ("leaves that claim room", engine.room_claims, oracle.room_claims),
          differ("rests begun", engine.rests_begun, oracle.rests_begun),
          differ("applications that rest", engine.applications_resting, oracle.resting),
          differ("bytes", engine.stated_bytes, oracle.bytes)}) {
        if (!difference.empty()) {
            return difference;
        }
    }
    if (engine_->next_timer_ns() != oracle_.next_timer_ns()) {
        return differ("next timer", std::to_string(engine_->next_timer_ns()), std::to_string(oracle_.next_timer_ns()));
    }
    if (engine_->has_work() != oracle_.has_work()) {
        return differ("has_work", std::to_string(engine_->has_work()), std::to_string(oracle_.has_work()));
    }
    return "";
}

// Now and then: to look gives back what is taken ahead.
std::string Lockstep::compare_queues() {
    if (!options_.queues || steps_ % 4 != 0) {
        return "";
    }
    const queue_tree::NaiveTree tree = oracle_.queue_tree();
    const std::vector<QueueReport> reports = engine_->queues();
    if (reports.size() != tree.queues.size()) {
        return differ("queues", reports.size(), tree.queues.size());
    }
    for (const QueueReport& report : reports) {
        if (!tree.queues.contains(report.path)) {
            return "queue " + report.path + " is the engine's alone";
        }
        const queue_config::ResourcesConfig& resources = tree.queues.at(report.path).config.resources;
        if (report.guaranteed != resources.guaranteed.or_none()) {
            return differ("guaranteed to " + report.path, queue_config::to_text(report.guaranteed),
                          queue_config::to_text(resources.guaranteed.or_none()));
        }
        if (report.path != "root" && report.max != resources.max.or_none()) {
            return differ("most of " + report.path, queue_config::to_text(report.max),
                          queue_config::to_text(resources.max.or_none()));
        }
        if (report.used != tree.allocated(report.path)) {
            return differ("used in " + report.path, queue_config::to_text(report.used),
                          queue_config::to_text(tree.allocated(report.path)));
        }
        if (report.pending != tree.pending(report.path)) {
            return differ("pending in " + report.path, queue_config::to_text(report.pending),
                          queue_config::to_text(tree.pending(report.path)));
        }
        if (const auto since = oracle_.over_since(report.path); since && report.over_since_ns != *since) {
            return differ("over since in " + report.path, std::to_string(report.over_since_ns.value_or(-1)),
                          std::to_string(since->value_or(-1)));
        }
        const auto running = static_cast<std::uint64_t>(tree.running(report.path));
        if (report.running != running) {
            return differ("running in " + report.path, report.running, running);
        }
    }
    return "";
}

// Every ask there is; of those that are gone a different part each step.
std::string Lockstep::compare_asks() {
    for (const auto& [sequence, ask] : oracle_.asks()) {
        seen_.emplace(ask.shim, ask.key);
    }
    std::uint64_t turn = steps_;
    for (const auto& [shim, key] : seen_) {
        const std::string expected = oracle_.ask_state(shim, key);
        if (expected.empty() && ++turn % 8 != 0) {
            continue;
        }
        const std::string state = engine_->ask_state(shim, key);
        if (state != expected) {
            return differ("state of " + shim + "/" + key, state, expected);
        }
    }
    return "";
}

std::string Lockstep::differing_explanation(const oracle::Ask& ask) {
    const std::optional<Explanation> explanation = engine_->explain(ask.shim, ask.key, false);
    if (!explanation) {
        return "no explanation of " + ask.shim + "/" + ask.key;
    }
    std::string difference = differing_groups(explanation->group, oracle_.group_of(ask));
    if (difference.empty()) {
        difference = differing_explanations(*explanation, oracle_.answer(ask).explanation);
    }
    return difference.empty() ? "" : "explanation of " + ask.shim + "/" + ask.key + ": " + difference;
}

// Of one ask that waits, another one each time; now and then, as the oracle looks at every node for it.
std::string Lockstep::compare_explanation() {
    if (steps_ % 40 != 0 || oracle_.asks().empty()) {
        return "";
    }
    const auto& [sequence, ask] =
        *std::next(oracle_.asks().begin(), static_cast<std::ptrdiff_t>(steps_ / 40 % oracle_.asks().size()));
    return is_waiting(ask) ? differing_explanation(ask) : "";
}

// Of one ask that plugins have refused a node, as these are few.
std::string Lockstep::compare_refused() {
    if (steps_ % 3 != 0) {
        return "";
    }
    const auto refused = std::ranges::find_if(oracle_.asks(), [&](const auto& ask) {
        return is_waiting(ask.second) && !oracle_.nodes_refused(ask.second).empty();
    });
    return refused == oracle_.asks().end() ? "" : differing_explanation(refused->second);
}

// Of one member that holds a node until its gang has its minimum, as these are few and wait for a short time.
std::string Lockstep::compare_held() {
    if (steps_ % 3 != 0) {
        return "";
    }
    const auto held = std::ranges::find_if(
        oracle_.asks(), [](const auto& ask) { return ask.second.state == oracle::AskState::on_permit; });
    return held == oracle_.asks().end() ? "" : differing_group(held->second);
}

// Of one pod group that waits, another one each time: whom it would preempt is told as long as it has not.
std::string Lockstep::compare_waiting_group() {
    std::map<std::string, const oracle::Ask*> groups;
    for (const auto& [sequence, ask] : oracle_.asks()) {
        if (steps_ % 4 == 1 && !ask.gang.empty() && is_waiting(ask)) {
            groups.emplace(ask.gang, &ask);
        }
    }
    return groups.empty()
               ? ""
               : differing_group(
                     *std::next(groups.begin(), static_cast<std::ptrdiff_t>(steps_ / 4 % groups.size()))->second);
}

std::string Lockstep::differing_group(const oracle::Ask& ask) {
    const std::optional<Explanation> explanation = engine_->explain(ask.shim, ask.key, false);
    const std::string difference =
        explanation ? differing_groups(explanation->group, oracle_.group_of(ask)) : "there is none";
    return difference.empty() ? "" : "explanation of " + ask.shim + "/" + ask.key + ": " + difference;
}

// The events that would wake an ask by its explanation are compared with the events that do, until it is tried again.
std::string Lockstep::compare_wakes() {
    for (const oracle::Heard& heard : oracle_.take_heard()) {
        if (heard.event == oracle::WakeEvent::placed_pod_stated) {
            continue;  // wakes whom a guarantee failed, and has no words of its own
        }
        const bool told = says_that_it_wakes(woken_by_, heard.event);
        if (told != heard.wakes) {
            return watched_ + (told ? " is not woken by an event" : " is woken by an event") + " of kind " +
                   std::to_string(static_cast<int>(heard.event)) + ", which its explanation " +
                   (told ? "lists" : "does not list");
        }
        ++wakes_compared_;
    }
    if (steps_ % 7 == 0) {
        watch_another();
    }
    return "";
}

void Lockstep::watch_another() {
    std::vector<const oracle::Ask*> waiting;
    for (const auto& [sequence, ask] : oracle_.asks()) {
        if (ask.state == oracle::AskState::unschedulable) {
            waiting.push_back(&ask);
        }
    }
    oracle_.watch(0);
    if (waiting.empty()) {
        return;
    }
    const oracle::Ask& ask = *waiting[steps_ / 7 % waiting.size()];
    const std::optional<Explanation> explanation = engine_->explain(ask.shim, ask.key, false);
    if (explanation && explanation->node.empty()) {
        watched_ = ask.shim + "/" + ask.key;
        woken_by_ = explanation->woken_by;
        oracle_.watch(ask.sequence);
    }
}

std::string Lockstep::audits() const {
    std::vector<std::string> broken;
    engine_->audit(broken);
    if (!broken.empty()) {
        return "the engine's audit: " + broken.front();
    }
    broken = oracle_.audit();
    return broken.empty() ? "" : "the oracle's audit: " + broken.front();
}

std::string Lockstep::finish() {
    const std::string engine = engine_->digest();
    return engine == oracle_.digest() ? "" : differ("digest", engine, oracle_.digest());
}

std::optional<Difference> first_difference(const History& history) {
    Lockstep lockstep(history.options, history.wakes_in_slices());
    for (std::size_t i = 0; i < history.events.size(); ++i) {
        const std::string what = lockstep.step(history.events[i]);
        if (!what.empty()) {
            return Difference{what, i};
        }
    }
    const std::string what = lockstep.finish();
    return what.empty() ? std::nullopt : std::optional(Difference{what, history.events.size()});
}

}  // namespace bayplan::property
