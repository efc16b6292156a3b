// See appliance.h.
#include "kube_shim/appliance.h"

#include <utility>

#include "kube_shim/statements.h"

namespace bayplan::kube_shim {

namespace {

constexpr std::size_t kSpecsAtOnce = 1'000;

}  // namespace

std::unique_ptr<AppliancePartition> AppliancePartition::open(const ClientOptions& options, Books& books,
                                                             DecisionHandler& handler, OnFault on_fault,
                                                             std::string& error) {
    std::unique_ptr<AppliancePartition> made(new AppliancePartition(books, handler, std::move(on_fault)));
    ClientOptions ours = options;
    ours.gives_claims_back = true;
    ours.plugins = books.plugins();
    ours.judges_victims = true;
    made->client_ = Client::open(ours, *made, made.get(), error);
    return made->client_ == nullptr ? nullptr : std::move(made);
}

template <typename Target>
bool AppliancePartition::define_specs(Target& target) {
    kube::SpecTable& specs = books_.converter().specs();
    specs_.renewed(specs.take_renewed());
    for (auto numbers = specs_.next(specs.records().size(), kSpecsAtOnce); !numbers.empty();
         numbers = specs_.next(specs.records().size(), kSpecsAtOnce)) {
        const Submitted submitted = target.specs(specs.items(numbers), [this](Text id) { return books_.text(id); });
        if (submitted == Submitted::full) {
            return false;
        }
        if (submitted == Submitted::invalid) {
            on_fault_("a spec of a pod breaks a limit of the protocol");
        }
        specs_.tell(numbers.size());
    }
    return true;
}

template <typename Target>
bool AppliancePartition::send_to(Target& target, const StateBody& body) {
    const auto text_of = [this](Text id) { return books_.text(id); };
    return define_specs(target) && submit_statements(target, body, text_of, on_fault_);
}

bool AppliancePartition::send(const StateBody& body) { return connected_ && send_to(*client_, body); }

// A connection that is lost meanwhile answers for itself: its queries are asked again, or their deadlines pass.
bool AppliancePartition::answer(const PluginAnswer& answer) {
    const Submitted submitted = connected_ ? client_->answers({&answer, 1}) : Submitted::full;
    if (submitted == Submitted::invalid) {
        on_fault_("an answer of an extender breaks a limit of the protocol");
    }
    return submitted != Submitted::full;
}

void AppliancePartition::begin() {
    connected_ = false;
    specs_.begin();
    books_.restate_all();
}

bool AppliancePartition::state(StateWriter& writer) {
    return books_.state_books([&](const StateBody& body) { return send_to(writer, body); },
                              [&] { return writer.full(); });
}

// --- what the daemon says

void AppliancePartition::on_connected(HelloOutcome outcome) {
    connected_ = true;
    on_fault_(outcome == HelloOutcome::resume ? "the daemon goes on with us" : "the daemon has all that there is");
}

void AppliancePartition::on_disconnected(std::string_view why) {
    connected_ = false;
    on_fault_("the connection to the daemon is lost: " + std::string(why));
}

void AppliancePartition::on_refused(std::string_view reason) {
    connected_ = false;
    on_fault_("the daemon refuses this shim for good: " + std::string(reason));
}

void AppliancePartition::on_rejected(DecisionKind kind, std::string_view name, std::string_view reason) {
    handler_.on_rejected(kind, name, reason);
}

void AppliancePartition::on_devices(std::string_view, std::string_view devices) { devices_ = devices; }

void AppliancePartition::on_allocated(std::string_view key, std::string_view node) {
    handler_.on_allocated(std::string(key), node, std::exchange(devices_, {}));
}

void AppliancePartition::on_released(std::string_view key, Termination termination, std::string_view text) {
    handler_.on_released(std::string(key), termination, text);
}

void AppliancePartition::on_waiting(std::string_view key, std::string_view text, bool) {
    handler_.on_waiting(std::string(key), text);
}

void AppliancePartition::on_nominated(std::string_view key, std::string_view node, std::string_view text) {
    handler_.on_nominated(std::string(key), node, text);
}

void AppliancePartition::on_claim_given_back(std::string_view claim, std::string_view text) {
    handler_.on_claim_given_back(std::string(claim), text);
}

void AppliancePartition::on_query(std::uint64_t query, std::string_view key, std::span<const std::string_view> nodes,
                                  std::span<const std::int64_t> totals) {
    handler_.on_query(query, std::string(key), {nodes.begin(), nodes.end()}, {totals.begin(), totals.end()});
}

void AppliancePartition::on_victims_query(const ClientHandler::VictimsQuery& query) {
    handler_.on_victims_query({.query = query.query,
                               .key = std::string(query.key),
                               .node = std::string(query.node),
                               .victims = {query.victims.begin(), query.victims.end()},
                               .needed = query.needed,
                               .violations = query.violations});
}

}  // namespace bayplan::kube_shim
