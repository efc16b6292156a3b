// See session.h.
#include "client/session.h"

#include <algorithm>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "base/lines.h"
#include "client/statement_limits.h"

namespace bayplan::client {

namespace {

constexpr std::uint64_t kCloseNormal = 0;
constexpr std::uint64_t kCloseProtocol = 1;
constexpr std::uint64_t kClosedAsReplaced = 4;  // CloseCode::replaced of src/daemon/gateway.h

std::uint64_t random_instance() {
    std::random_device source;
    const std::uint64_t high = source();
    const std::uint64_t value = (high << 32) | source();
    return value == 0 ? 1 : value;
}

}  // namespace

Session::Session(const ClientOptions& options, std::string address, ClientHandler& handler, StateSource* source)
    : options_(options),
      address_(std::move(address)),
      shim_instance_(options.shim_instance != 0 ? options.shim_instance : random_instance()),
      handler_(handler),
      source_(source),
      outbox_(options.kept_bytes_max) {}

// --- connecting

std::size_t Session::on_turn(dataplane::DataPlane& plane) {
    if (cut_wanted_.exchange(false) && connection_) {
        drop(plane, kCloseNormal, "cut on request");
    }
    end_decisions();
    std::size_t work = keep_connected(plane);
    if (phase_ == Phase::greeting && hello_due_) {
        work += send_hello(plane);
    }
    if (phase_ == Phase::resyncing) {
        work += state_some();
    }
    if (greeted()) {
        work += send_acknowledgement(plane) + send_state(plane) + send_dump(plane);
    }
    return work + handler_.on_turn();
}

std::size_t Session::keep_connected(dataplane::DataPlane& plane) {
    const Clock::time_point now = Clock::now();
    if ((phase_ == Phase::connecting || phase_ == Phase::greeting) && now >= connect_deadline_) {
        drop(
            plane, kCloseNormal,
            fmt::format("no answer from {}:{} within {} ms", address_, options_.udp_port, options_.connect_timeout_ms));
    }
    if (phase_ != Phase::idle || now < next_connect_) {
        return 0;
    }
    phase_ = Phase::connecting;
    connect_deadline_ = now + std::chrono::milliseconds(options_.connect_timeout_ms);
    connection_ = plane.connect(address_, options_.udp_port);
    return 1;
}

void Session::on_open(dataplane::DataPlane& plane, ConnectionId id, const dataplane::Peer&) {
    if (connection_ && *connection_ == id && phase_ == Phase::connecting) {
        phase_ = Phase::greeting;
        hello_due_ = true;
        send_hello(plane);
    }
}

std::size_t Session::send_hello(dataplane::DataPlane& plane) {
    wire::Hello hello;
    hello.features = wire::kFeatures;
    for (const auto& [wanted, feature] : {std::pair(options_.gives_claims_back, wire::kFeatureGiveBack),
                                          std::pair(options_.judges_victims, wire::kFeatureVictims),
                                          std::pair(options_.wants_container_states, wire::kFeatureContainerStates),
                                          std::pair(options_.wants_events, wire::kFeatureEvents),
                                          std::pair(options_.wants_configuration, wire::kFeatureConfiguration),
                                          std::pair(options_.tells_its_state, wire::kFeatureStateDump)}) {
        hello.features &= wanted ? ~std::uint64_t{0} : ~feature;
    }
    hello.partition = options_.partition;
    hello.shim_instance = shim_instance_;
    hello.daemon_instance = daemon_instance_;
    hello.decisions_received = decisions_durable_;
    hello.version = options_.version;
    std::string plugins;
    for (const std::string& name : options_.plugins) {
        append_line(plugins, name);
    }
    hello.plugins = plugins;
    std::string build;
    for (const auto& [key, value] : options_.build_info) {
        append_line(build, key + "=" + value);
    }
    hello.build = build;
    if (!plane.send(*connection_, dataplane::Stream::control, encoder_.encode(hello))) {
        return 0;
    }
    hello_due_ = false;
    return 1;
}

void Session::take_reply(dataplane::DataPlane& plane, const wire::HelloReplyFrame& reply) {
    if (reply.outcome == HelloOutcome::refused) {
        const std::string reason(reply.reason);
        drop(plane, kCloseNormal, "refused by the daemon: " + reason);
        phase_ = Phase::refused;
        stop();  // a connection with room in it will never come
        handler_.on_refused(reason);
        return;
    }
    if (reply.protocol < wire::kProtocolMin || reply.protocol > wire::kProtocolMax) {
        drop(plane, kCloseProtocol, fmt::format("the daemon chose protocol {}, which was not offered", reply.protocol));
        return;
    }
    if (reply.outcome == HelloOutcome::resync) {
        begin_resync(reply);
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        // Resuming something that was never stated, or from a number never given: begin anew
        // instead.
        if (!ready_ || reply.daemon_instance != daemon_instance_ || !outbox_.resume_after(reply.state_applied)) {
            daemon_instance_ = 0;
        }
    }
    if (daemon_instance_ == 0) {
        drop(plane, kCloseProtocol, "the daemon resumes what it cannot know");
        return;
    }
    ++counters_.connects;
    ++counters_.resumes;
    phase_ = Phase::live;
    handler_.on_connected(HelloOutcome::resume);
}

void Session::begin_resync(const HelloReply& reply) {
    ++counters_.connects;
    ++counters_.resyncs;
    daemon_instance_ = reply.daemon_instance;
    decisions_received_ = 0;
    decisions_durable_ = 0;
    phase_ = Phase::resyncing;
    {
        const std::lock_guard lock(mutex_);
        ready_ = false;
        counters_.messages_before_resync += outbox_.last_sequence();
        outbox_.begin_resync();
    }
    if (source_ != nullptr) {
        source_->begin();
    }
}

// Statements of the source go straight to the outbox; other threads are kept out by `ready_`.
class Session::Writer final : public StateWriter {
public:
    explicit Writer(Session& session) : session_(session) {}

    Submitted specs(std::span<const SpecItem> all, const TextOf& text_of) override {
        return within_limits(all, text_of, nullptr)
                   ? append([&](StateWindow& outbox) { outbox.specs(all, text_of, {}); })
                   : Submitted::invalid;
    }
    Submitted objects(std::span<const ObjectItem> all, const TextOf& text_of) override {
        return within_limits(all, text_of, nullptr) ? append([&](StateWindow& outbox) { outbox.objects(all, text_of); })
                                                    : Submitted::invalid;
    }
    Submitted nodes(std::span<const NodeStatement> all) override {
        return append(all, [&](StateWindow& outbox) { outbox.nodes(all); });
    }
    Submitted applications(std::span<const ApplicationStatement> all) override {
        return append(all, [&](StateWindow& outbox) { outbox.applications(all, {}); });
    }
    Submitted pods(std::span<const PodStatement> all) override {
        return append(all, [&](StateWindow& outbox) { outbox.pods(all); });
    }
    bool full() const override {
        const std::lock_guard lock(session_.mutex_);
        return !session_.outbox_.has_room();
    }

private:
    template <typename Items, typename Append>
    Submitted append(const Items& items, Append append_to) {
        return within_limits(items, nullptr) ? append(append_to) : Submitted::invalid;
    }
    template <typename Append>
    Submitted append(Append append_to) {
        const std::lock_guard lock(session_.mutex_);
        append_to(session_.outbox_);
        return Submitted::yes;
    }

    Session& session_;
};

std::size_t Session::state_some() {
    Writer writer(*this);
    if (writer.full()) {
        return 0;
    }
    if (source_ != nullptr && !source_->state(writer)) {
        return 1;
    }
    {
        const std::lock_guard lock(mutex_);
        outbox_.end_resync();
        ready_ = true;
    }
    phase_ = Phase::live;
    room_.notify_all();
    handler_.on_connected(HelloOutcome::resync);
    return 1;
}

// --- out

std::size_t Session::send_acknowledgement(dataplane::DataPlane& plane) {
    if (!acknowledgement_due_ || end_due_ ||
        !plane.send(*connection_, dataplane::Stream::control,
                    encoder_.encode(wire::AcknowledgeFrame{decisions_durable_}))) {
        return 0;
    }
    acknowledgement_due_ = false;
    ++counters_.acknowledgements;
    return 1;
}

std::size_t Session::send_state(dataplane::DataPlane& plane) {
    std::size_t sent = 0;
    const std::lock_guard lock(mutex_);
    for (auto bytes = outbox_.next_unsent(); !bytes.empty(); bytes = outbox_.next_unsent()) {
        if (!plane.send(*connection_, dataplane::Stream::state, bytes)) {
            break;
        }
        outbox_.mark_sent();
        ++sent;
    }
    counters_.messages_sent += sent;
    return sent;
}

// --- in

bool Session::on_frame(dataplane::DataPlane& plane, ConnectionId id, dataplane::Stream stream,
                       dataplane::Frame& frame) {
    if (!connection_ || *connection_ != id) {
        return true;  // of a connection given up already
    }
    // The streams are ordered each for itself: decisions may overtake the answer to the hello.
    if (stream == dataplane::Stream::decisions && (!greeted() || !reading_ || end_due_)) {
        return false;
    }
    std::string error;
    if (!decoded_.decode(frame.bytes(), wire::Limits{}, error)) {
        drop(plane, kCloseProtocol, "broken frame: " + error);
        return true;
    }
    const wire::Message& message = decoded_.message();
    if (const auto* reply = std::get_if<wire::HelloReplyFrame>(&message); reply && phase_ == Phase::greeting) {
        take_reply(plane, *reply);
    } else if (const auto* decisions = std::get_if<wire::DecisionsFrame>(&message); decisions && greeted()) {
        take_decisions(plane, *decisions);
    } else if (const auto* applied = std::get_if<wire::StateAppliedFrame>(&message); applied && greeted()) {
        take_applied(applied->up_to);
    } else if (!greeted() || !take_information(message)) {
        drop(plane, kCloseProtocol, "a message that does not belong here");
    }
    return true;
}

void Session::take_decisions(dataplane::DataPlane& plane, const wire::DecisionsFrame& frame) {
    const std::uint64_t expected = decisions_received_ + 1;
    if (frame.first_sequence > expected) {
        drop(plane, kCloseProtocol, fmt::format("decision {} is missing", expected));
        return;
    }
    take_applied(frame.state_applied);
    const std::uint64_t repeated = std::min<std::uint64_t>(expected - frame.first_sequence, frame.decisions.size());
    counters_.repeated += repeated;
    const std::span<const Decision> fresh = frame.decisions.subspan(repeated);
    for (const Decision& decision : fresh) {
        deliver(decision);
    }
    if (!fresh.empty()) {
        decisions_received_ += fresh.size();
        counters_.decisions += fresh.size();
        end_due_ = true;
    }
    // Repeats are acknowledged too: the daemon sends them because it has not heard of it.
    acknowledgement_due_ = true;
    end_decisions();
}

void Session::end_decisions() {
    if (end_due_ && handler_.on_decisions_end()) {
        end_due_ = false;
        decisions_durable_ = decisions_received_;
    }
}

void Session::deliver(const Decision& decision) {
    switch (decision.kind) {
        case DecisionKind::node_accepted:
        case DecisionKind::application_accepted: handler_.on_accepted(decision.kind, decision.name); return;
        case DecisionKind::node_rejected:
        case DecisionKind::application_rejected:
        case DecisionKind::ask_rejected:
        case DecisionKind::message_rejected: handler_.on_rejected(decision.kind, decision.name, decision.text); return;
        case DecisionKind::allocated:
            if (!decision.devices.empty()) {
                handler_.on_devices(decision.name, decision.devices);
            }
            handler_.on_allocated(decision.name, decision.node);
            return;
        case DecisionKind::released: handler_.on_released(decision.name, decision.termination, decision.text); return;
        case DecisionKind::ask_waiting: handler_.on_waiting(decision.name, decision.text, decision.scale_up); return;
        case DecisionKind::queried: deliver_query(decision); return;
        case DecisionKind::victims_queried: deliver_victims_query(decision); return;
        case DecisionKind::nominated: handler_.on_nominated(decision.name, decision.node, decision.text); return;
        case DecisionKind::claim_given_back: handler_.on_claim_given_back(decision.name, decision.text); return;
    }
}

void Session::deliver_query(const Decision& decision) {
    const auto [others, totals] = two_lists(decision.text);
    query_nodes_.assign(1, decision.node);
    for_each_line(others, [&](std::string_view name) { query_nodes_.push_back(name); });
    query_totals_.clear();
    for_each_line(totals, [&](std::string_view total) { query_totals_.push_back(number_in(total)); });
    handler_.on_query(decision.query, decision.name, query_nodes_, query_totals_);
}

void Session::deliver_victims_query(const Decision& decision) {
    query_nodes_.clear();
    for_each_line(decision.text, [&](std::string_view name) { query_nodes_.push_back(name); });
    handler_.on_victims_query(
        {decision.query, decision.name, decision.node, query_nodes_, decision.needed, decision.violations});
}

void Session::take_applied(std::uint64_t up_to) {
    // Only now: a daemon that greets and cuts again and again is not to be hammered.
    failures_ = 0;
    {
        const std::lock_guard lock(mutex_);
        outbox_.applied(up_to);
    }
    room_.notify_all();
}

// --- the end of a connection

void Session::on_close(dataplane::DataPlane&, ConnectionId id, std::string_view why) {
    if (connection_ && *connection_ == id) {
        lost(why);
    }
}

void Session::on_closed_with(dataplane::DataPlane&, ConnectionId id, std::uint64_t code) {
    was_replaced_ = connection_ && *connection_ == id && code == kClosedAsReplaced;
}

// Speaks of handshakes from others; a client has none.
void Session::on_refused(std::string_view, std::string_view) {}

void Session::drop(dataplane::DataPlane& plane, std::uint64_t code, std::string_view why) {
    const ConnectionId id = *connection_;
    connection_.reset();  // first: close() may call on_close at once
    plane.close(id, code, why);
    lost(why);
}

void Session::lost(std::string_view why) {
    connection_.reset();
    hello_due_ = false;
    acknowledgement_due_ = false;
    dump_.reset();
    phase_ = Phase::idle;
    const std::uint64_t usual_ms = std::min<std::uint64_t>(
        options_.reconnect_max_ms, std::uint64_t{options_.reconnect_initial_ms} << std::min(failures_, 16u));
    const std::uint64_t delay_ms = std::exchange(was_replaced_, false) ? options_.replaced_wait_ms : usual_ms;
    ++failures_;
    next_connect_ = Clock::now() + std::chrono::milliseconds(delay_ms);
    ++counters_.disconnects;
    handler_.on_disconnected(why);
}

// --- any thread

void Session::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
    }
    room_.notify_all();
}

bool Session::settled() const {
    const std::lock_guard lock(mutex_);
    return ready_ && outbox_.empty();
}

ClientCounters Session::counters() const {
    ClientCounters all;
    all.connects = counters_.connects;
    all.disconnects = counters_.disconnects;
    all.resumes = counters_.resumes;
    all.resyncs = counters_.resyncs;
    all.messages_sent = counters_.messages_sent;
    all.decisions = counters_.decisions;
    all.decisions_repeated = counters_.repeated;
    all.acknowledgements = counters_.acknowledgements;
    const std::lock_guard lock(mutex_);
    all.messages = counters_.messages_before_resync + outbox_.last_sequence();
    all.kept_messages = outbox_.kept_messages();
    all.kept_bytes = outbox_.kept_bytes();
    return all;
}

}  // namespace bayplan::client
