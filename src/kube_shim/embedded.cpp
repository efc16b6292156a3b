// See embedded.h.
#include "kube_shim/embedded.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "base/lines.h"

namespace bayplan::kube_shim {

namespace {

constexpr ConnectionId kConnection = 1;
constexpr std::string_view kShim = "kube";
constexpr std::size_t kDefinedAtOnce = 10'000;
constexpr std::uint64_t kAttemptsPerTurn = 256;
constexpr std::uint64_t kAttemptsAtOnce = 16;
constexpr auto kTurn =
    std::chrono::milliseconds(20);         // and not much longer: a first look at many nodes takes milliseconds
constexpr unsigned kMessagesPerTurn = 10;  // of the first statement, 1,000 items each

std::int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

bool is_refusal(DecisionKind kind) {
    return kind == DecisionKind::node_rejected || kind == DecisionKind::application_rejected ||
           kind == DecisionKind::ask_rejected || kind == DecisionKind::message_rejected;
}

}  // namespace

EngineOptions embedded_options(EngineOptions options) {
    options.executor = ExecutorKind::inline_;
    options.path = BatchPath::inline_;
    constexpr std::uint32_t kNoLimit = std::numeric_limits<std::uint32_t>::max() / 4;
    options.dictionary_max = kNoLimit;
    options.nodes_max = kNoLimit;
    options.applications_max = kNoLimit;
    options.asks_max = kNoLimit;
    options.specs_max = kNoLimit;
    options.label_terms_max = kNoLimit;
    options.topology_keys_max = kNoLimit;
    options.objects_max = kNoLimit;
    options.credit_window = kNoLimit;
    options.unacknowledged_max = kNoLimit;
    return options;
}

EngineOptions kube_options() {
    EngineOptions options;
    options.compat = Compat::kubernetes_1_35;
    options.preemption = PreemptionOptions::of(options.compat);
    return options;
}

std::unique_ptr<EmbeddedPartition> EmbeddedPartition::stated_by(Books& books, const EngineOptions& options,
                                                                DecisionHandler& handler, OnFault on_fault) {
    auto made = std::make_unique<EmbeddedPartition>(embedded_options(options), books.converter(), books.plugins(),
                                                    handler, std::move(on_fault));
    made->begin();
    books.restate_all();
    made->to_state_ = &books;
    return made;
}

EmbeddedPartition::EmbeddedPartition(const EngineOptions& options, kube::ObjectConverter& tables,
                                     const std::vector<std::string>& plugins, DecisionHandler& handler,
                                     OnFault on_fault)
    : tables_(tables), handler_(handler), on_fault_(std::move(on_fault)), engine_(options, *this) {
    engine_.apply(Tick{now_ns()});
    std::string lines;
    for (const std::string& name : plugins) {
        append_line(lines, name);
    }
    engine_.apply(Connect{.connection = kConnection,
                          .shim = kShim,
                          .shim_instance = 1,
                          .plugins = lines,
                          .gives_claims_back = true,
                          .judges_victims = true});
}

void EmbeddedPartition::apply(const StateBody& body) {
    engine_.apply(StateMessage{.connection = kConnection, .sequence = ++sequence_, .body = body});
}

void EmbeddedPartition::define_what_is_new() {
    kube::Texts& texts = tables_.texts();
    texts_.renewed(texts.take_renewed());
    for (auto numbers = texts_.next(texts.size(), kDefinedAtOnce); !numbers.empty();
         numbers = texts_.next(texts.size(), kDefinedAtOnce)) {
        texts_.tell(numbers.size());
        std::vector<DictEntry> entries;
        for (const Text number : numbers) {
            if (!texts.is_free(number)) {
                entries.push_back({number, texts.text(number)});
            }
        }
        apply(DefineMessage{entries});
    }
    kube::SpecTable& specs = tables_.specs();
    specs_.renewed(specs.take_renewed());
    for (auto numbers = specs_.next(specs.records().size(), kDefinedAtOnce); !numbers.empty();
         numbers = specs_.next(specs.records().size(), kDefinedAtOnce)) {
        specs_.tell(numbers.size());
        apply(SpecsMessage{.define = specs.items(numbers), .forget = {}});
    }
}

bool EmbeddedPartition::send(const StateBody& body) {
    define_what_is_new();
    apply(body);
    return true;
}

bool EmbeddedPartition::answer(const PluginAnswer& answer) {
    apply(PluginAnswersMessage{std::span(&answer, 1)});
    return true;
}

void EmbeddedPartition::stated() {
    apply(ResyncEndMessage{});
    stated_ = true;
}

// In pieces: a lease has to be renewed meanwhile.
bool EmbeddedPartition::state_some() {
    if (to_state_ != nullptr) {
        unsigned left = kMessagesPerTurn;
        const bool all =
            to_state_->state_books([this](const StateBody& body) { return send(body); }, [&] { return left-- == 0; });
        to_state_ = all ? nullptr : to_state_;
        return true;
    }
    if (may_decide_) {
        stated();
    }
    return may_decide_;
}

bool EmbeddedPartition::attempt_some() {
    if (!goes_on_) {
        return false;
    }
    const Clock::time_point end = Clock::now() + kTurn;
    std::uint64_t all = 0;
    for (std::uint64_t some = 1; some > 0 && all < kAttemptsPerTurn && Clock::now() < end; all += some) {
        some = engine_.run(kAttemptsAtOnce);
    }
    return all > 0;
}

bool EmbeddedPartition::turn() {
    engine_.apply(Tick{now_ns()});
    const bool attempted = stated_ ? attempt_some() : state_some();
    while (engine_.flush() > 0) {
    }
    return tell() || attempted;
}

Clock::time_point EmbeddedPartition::next_due() const {
    if (stated_ ? goes_on_ && engine_.has_work() : to_state_ != nullptr || may_decide_) {
        return Clock::now();
    }
    const std::int64_t due = engine_.next_timer_ns();
    return due == std::numeric_limits<std::int64_t>::max() ? Clock::time_point::max()
                                                           : Clock::time_point(std::chrono::nanoseconds(due));
}

bool EmbeddedPartition::tell() {
    const auto batches = std::exchange(untold_, {});
    for (const auto& batch : batches) {
        for (const Decision& decision : batch->decisions) {
            tell(decision);
        }
        told_ = batch->first_sequence + batch->decisions.size() - 1;
    }
    if (told_ > acknowledged_) {
        acknowledged_ = told_;
        engine_.apply(Acknowledge{kConnection, acknowledged_});
    }
    return !batches.empty();
}

void EmbeddedPartition::tell(const Decision& decision) {
    const std::string key(decision.name);
    if (decision.kind == DecisionKind::allocated) {
        handler_.on_allocated(key, decision.node, decision.devices);
    } else if (decision.kind == DecisionKind::released) {
        handler_.on_released(key, decision.termination, decision.text);
    } else if (decision.kind == DecisionKind::ask_waiting) {
        handler_.on_waiting(key, decision.text);
    } else if (decision.kind == DecisionKind::nominated) {
        handler_.on_nominated(key, decision.node, decision.text);
    } else if (decision.kind == DecisionKind::claim_given_back) {
        handler_.on_claim_given_back(key, decision.text);
    } else if (decision.kind == DecisionKind::queried) {
        const auto [others, numbers] = two_lists(decision.text);
        std::vector<std::string> nodes{std::string(decision.node)};
        std::vector<std::int64_t> totals;
        for_each_line(others, [&](std::string_view name) { nodes.emplace_back(name); });
        for_each_line(numbers, [&](std::string_view total) { totals.push_back(number_in(total)); });
        handler_.on_query(decision.query, key, std::move(nodes), std::move(totals));
    } else if (decision.kind == DecisionKind::victims_queried) {
        std::vector<std::string> victims;
        for_each_line(decision.text, [&](std::string_view name) { victims.emplace_back(name); });
        handler_.on_victims_query({.query = decision.query,
                                   .key = key,
                                   .node = std::string(decision.node),
                                   .victims = std::move(victims),
                                   .needed = decision.needed,
                                   .violations = decision.violations});
    } else if (is_refusal(decision.kind)) {
        handler_.on_rejected(decision.kind, decision.name, decision.text);
    }
}

void EmbeddedPartition::cut(ConnectionId, std::string_view why) { on_fault_("the engine: " + std::string(why)); }

bool EmbeddedPartition::decisions(ConnectionId, std::shared_ptr<const DecisionBatch> batch, std::size_t,
                                  std::uint64_t) {
    untold_.push_back(std::move(batch));
    return true;
}

}  // namespace bayplan::kube_shim
