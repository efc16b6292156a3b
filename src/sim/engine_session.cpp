// See engine_session.h.
#include "sim/engine_session.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <utility>

#include "base/lines.h"
#include "kube/trimmed_json.h"
#include "queue_config/node_scores.h"

namespace bayplan::sim {

namespace {

constexpr ConnectionId kConnection = 1;
constexpr std::string_view kPartition = "default";
constexpr std::string_view kGated = "waiting for scheduling gates";

std::string_view next_word(std::string_view& line, char end_of_word = ' ') {
    const std::size_t end = std::min(line.find(end_of_word), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
}

std::optional<LogLine::Kind> kind_of(std::string_view word) {
    using Kind = LogLine::Kind;
    static constexpr std::pair<std::string_view, Kind> kKinds[] = {
        {"place", Kind::place},       {"fail", Kind::fail},           {"wait", Kind::wait},
        {"nominate", Kind::nominate}, {"clear", Kind::clear},         {"release", Kind::release},
        {"reserve", Kind::reserve},   {"unreserve", Kind::unreserve}, {"permit", Kind::permit},
        {"reject", Kind::reject},     {"give_back", Kind::give_back}};
    for (const auto& [name, kind] : kKinds) {
        if (name == word) {
            return kind;
        }
    }
    return std::nullopt;
}

std::string key_of(std::string_view shim_and_key) {
    return std::string(shim_and_key.substr(std::min(kShim.size() + 1, shim_and_key.size())));
}

// "violations=V highest=P sum=S count=C started=T nodes=K: " and the message.
void read_costs(std::string_view costs_and_message, LogLine& line) {
    constexpr std::string_view kViolations = "violations=";
    std::string_view rest = costs_and_message;
    const std::string_view violations = next_word(rest);
    if (violations.starts_with(kViolations)) {
        std::from_chars(violations.data() + kViolations.size(), violations.data() + violations.size(), line.violations);
    }
    const std::size_t end = costs_and_message.find(": ");
    line.message = end == std::string_view::npos ? "" : costs_and_message.substr(end + 2);
}

bool is_refusal(DecisionKind kind) {
    return kind == DecisionKind::node_rejected || kind == DecisionKind::application_rejected ||
           kind == DecisionKind::ask_rejected || kind == DecisionKind::message_rejected;
}

// A dump is judged once, on machines of every size: memory matters more here than a second look at the nodes.
constexpr std::uint64_t kClassCachesBytes = 16u << 20;

// Nodes are scored as the node sort policy of the queues says.
EngineOptions with_queues(EngineOptions options, const std::string& text) {
    options.queues = !text.empty();
    std::string why;
    const auto scores = options.queues ? queue_config::node_scores(text, kPartition, why) : std::nullopt;
    if (scores) {
        scores->apply(options);
    }
    return options;
}

}  // namespace

EngineOptions engine_options(Compat compat, const std::vector<std::string>& predicates,
                             const CoschedulingOptions& coscheduling, const DaemonsetOptions& daemonset) {
    EngineOptions engine;
    engine.compat = compat;
    engine.preemption = PreemptionOptions::of(compat);
    engine.preemption.daemonset = daemonset;
    engine.predicates = predicates;
    engine.coscheduling = coscheduling;
    engine.executor = ExecutorKind::inline_;
    engine.path = BatchPath::inline_;
    engine.class_caches_bytes = kClassCachesBytes;
    // One shim states everything, and reads what it is told at once.
    constexpr std::uint32_t kNoLimit = std::numeric_limits<std::uint32_t>::max() / 4;
    engine.dictionary_max = kNoLimit;
    engine.nodes_max = kNoLimit;
    engine.applications_max = kNoLimit;
    engine.asks_max = kNoLimit;
    engine.made_queues_max = kNoLimit;
    engine.specs_max = kNoLimit;
    engine.label_terms_max = kNoLimit;
    engine.topology_keys_max = kNoLimit;
    engine.objects_max = kNoLimit;
    engine.credit_window = kNoLimit;
    engine.unacknowledged_max = kNoLimit;
    return engine;
}

EngineSession::EngineSession(const EngineOptions& options, const std::string& queues, bool gives_claims_back,
                             PluginHost plugin, const kube::ObjectConverter& pods)
    : has_queues_(!queues.empty()),
      plugin_(std::move(plugin)),
      pods_(pods),
      engine_(with_queues(options, queues), *this) {
    if (has_queues_) {
        engine_.apply(QueuesText{.partition = kPartition, .text = queues});
        if (!engine_.queues_fault().empty()) {
            refused_.push_back("queues: " + engine_.queues_fault());
        }
    }
    const std::string plugins = plugin_.server == nullptr ? "" : plugin_.name + "\n";
    engine_.apply(Connect{.connection = kConnection,
                          .shim = kShim,
                          .shim_instance = 1,
                          .plugins = plugins,
                          .gives_claims_back = gives_claims_back,
                          .judges_victims = plugin_.judges_victims});
    send(ResyncBeginMessage{});
}

void EngineSession::stated() { send(ResyncEndMessage{}); }

void EngineSession::send(const StateBody& body) {
    apply(body);
    answer_queries();
}

void EngineSession::apply(const StateBody& body) {
    engine_.apply(StateMessage{.connection = kConnection, .sequence = ++sequence_, .body = body});
    take_decisions();
}

// An answer may lead to another query: its node has changed meanwhile.
void EngineSession::answer_queries() {
    while (!questions_.empty()) {
        const std::vector<PluginQuestion> questions = std::exchange(questions_, {});
        const std::vector<PluginReply> replies = plugin_.server->answer(questions);
        for (std::size_t i = 0; i < replies.size(); ++i) {
            std::vector<PluginReason> reasons;
            for (std::uint32_t node = 0; node < replies[i].reasons.size(); ++node) {
                reasons.push_back({node, replies[i].reasons[node]});
            }
            const PluginAnswer answer{.query = questions[i].query,
                                      .verdicts = replies[i].verdicts,
                                      .reasons = reasons,
                                      .failure = replies[i].failure,
                                      .lasting = replies[i].lasting,
                                      .first_victims = replies[i].first_victims,
                                      .victims = replies[i].victims};
            apply(PluginAnswersMessage{std::span(&answer, 1)});
            if (!answer.failure.empty()) {  // the log has it in words of many meanings
                LogLine& line = lines_.emplace_back();
                line.pod = questions[i].pod;
                line.message = "plugin " + plugin_.name + ": " + replies[i].failure;
            }
        }
    }
}

void EngineSession::tick(std::int64_t now_ns) {
    engine_.apply(Tick{now_ns});
    take_decisions();
    answer_queries();
}

bool EngineSession::attempt(std::uint64_t attempts_max) {
    const bool any = engine_.run(attempts_max) > 0;
    take_decisions();
    answer_queries();
    return any;
}

std::string EngineSession::queued(const std::string& pod) const {
    std::string why;
    return has_queues_ && engine_.ask_state(kShim, pod, &why) == "pending" ? why : "";
}

void EngineSession::take_decisions() {
    while (engine_.flush() > 0) {
    }
    if (received_ > acknowledged_) {
        acknowledged_ = received_;
        engine_.apply(Acknowledge{kConnection, acknowledged_});
    }
}

void EngineSession::cut(ConnectionId, std::string_view why) {
    refused_.push_back("the engine cut: " + std::string(why));
}

bool EngineSession::decisions(ConnectionId, std::shared_ptr<const DecisionBatch> batch, std::size_t, std::uint64_t) {
    received_ = batch->first_sequence + batch->decisions.size() - 1;
    for (const Decision& decision : batch->decisions) {
        take(decision);
    }
    return true;
}

void EngineSession::take(const Decision& decision) {
    const auto order = [&](Order::Kind kind) {
        orders_.push_back({kind, std::string(decision.name), std::string(decision.node), std::string(decision.text)});
    };
    if (decision.kind == DecisionKind::allocated) {
        order(Order::Kind::place);
    } else if (decision.kind == DecisionKind::released && decision.termination == Termination::preempted_by_scheduler) {
        order(Order::Kind::delete_victim);
    } else if (decision.kind == DecisionKind::ask_waiting && decision.text.starts_with(kGated)) {
        order(Order::Kind::gated);
    } else if (is_query(decision.kind)) {
        keep_question(decision);
    } else if (is_refusal(decision.kind)) {
        refused_.push_back(std::string(decision.name) + ": " + std::string(decision.text));
    }
}

void EngineSession::keep_question(const Decision& decision) {
    PluginQuestion& question = questions_.emplace_back();
    question.query = decision.query;
    question.pod = decision.name;
    question.object = pods_.text_of_pod(question.pod);
    if (question.object.empty()) {  // a copy that the simulation made is called as the pod, and `+N` or `~N`
        question.object = pods_.text_of_pod(question.pod.substr(0, question.pod.find_last_of("+~")));
    }
    if (question.object.empty()) {
        const std::size_t slash = std::min(question.pod.find('/'), question.pod.size());
        question.object = R"({"metadata":{"namespace":)";
        kube::append_json_text(question.object, question.pod.substr(0, slash));
        question.object += R"(,"name":)";
        kube::append_json_text(question.object, question.pod.substr(std::min(slash + 1, question.pod.size())));
        question.object += "}}";
    }
    question.nodes.emplace_back(decision.node);
    if (decision.kind == DecisionKind::victims_queried) {
        question.needed = decision.needed;
        for (std::string_view victims = decision.text; !victims.empty();) {
            question.victims.push_back(key_of(next_word(victims, '\n')));
        }
        return;
    }
    const auto [others, totals] = two_lists(decision.text);
    for_each_line(others, [&](std::string_view name) { question.nodes.emplace_back(name); });
    for_each_line(totals, [&](std::string_view total) { question.totals.push_back(number_in(total)); });
}

void EngineSession::log_line(std::string_view line) {
    next_word(line);  // number
    next_word(line);  // time
    const std::optional<LogLine::Kind> kind = kind_of(next_word(line));
    if (!kind) {
        return;
    }
    LogLine& made = lines_.emplace_back();
    made.kind = *kind;
    made.pod = key_of(next_word(line));
    made.node = next_word(line);
    std::string_view victims = next_word(line);
    const bool preempts = *kind == LogLine::Kind::nominate || *kind == LogLine::Kind::reserve;
    while (preempts && victims != "-" && !victims.empty()) {
        made.victims.push_back(key_of(next_word(victims, ',')));
    }
    if (*kind == LogLine::Kind::nominate) {
        read_costs(line, made);
    } else {
        made.message = line;
    }
}

}  // namespace bayplan::sim
