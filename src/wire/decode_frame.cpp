// One frame: verification, then the message it holds.
//
// Thread and owner: the DecodedFrame's. Errors: text in `error`; the bytes are then not to be used.
#include "wire/codec.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/lines.h"
#include "shim_generated.h"
#include "wire/decode_state.h"
#include "wire/fields.h"
#include "wire/storage.h"

namespace bayplan::wire {
namespace {

constexpr std::size_t kAlignment = 8;

// Tables nested at most: envelope, state, objects, object, claim, allocation, node selector, node term,
// requirement. Grows when the schema grows deeper.
constexpr flatbuffers::uoffset_t kDepthMax = 9;

// A table takes at least four bytes and a reference to it four more, so a frame whose tables are
// written once each cannot hold more than this. The verifier counts visits: a small frame which
// names one table a million times is given up early.
constexpr std::size_t kTableBytesMin = 8;

const fbs::Envelope* verified_envelope(std::span<const std::byte> bytes, std::string& error) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    if (reinterpret_cast<std::uintptr_t>(data) % kAlignment != 0) {
        error = "frame is not aligned to 8 bytes";
        return nullptr;
    }
    if (bytes.size() < 2 * sizeof(flatbuffers::uoffset_t) || bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) {
        error = fmt::format("frame of {} bytes cannot hold a message", bytes.size());
        return nullptr;
    }
    if (!fbs::EnvelopeBufferHasIdentifier(data)) {
        error = fmt::format("frame does not carry the identifier {}", fbs::EnvelopeIdentifier());
        return nullptr;
    }
    flatbuffers::Verifier::Options options;
    options.max_depth = kDepthMax;
    options.max_tables = static_cast<flatbuffers::uoffset_t>(bytes.size() / kTableBytesMin);
    flatbuffers::Verifier verifier(data, bytes.size(), options);
    if (!fbs::VerifyEnvelopeBuffer(verifier)) {
        error = "frame is not a valid flatbuffer of this schema";
        return nullptr;
    }
    return fbs::GetEnvelope(data);
}

using Strings = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

using Numbers = flatbuffers::Vector<std::int64_t>;
constexpr std::size_t kNumberBytes = 21;  // of a number in decimal with its LF, at most

// Names as one text, each ended by LF; after an empty line the numbers, if there are any.
bool read_lines(const Strings* names, const Where& where, Fields& fields, Storage& storage, std::string_view& out,
                const Numbers* numbers = nullptr) {
    if (!fields.items(names, where)) {
        return false;
    }
    if (Fields::size_of(names) == 0) {
        return true;
    }
    std::size_t bytes = 1 + kNumberBytes * Fields::size_of(numbers);
    for (const flatbuffers::String* const name : *names) {
        std::string_view line;
        if (!fields.name(name, where, line) || !fields.may_hold(line.size() + 1, where)) {
            return false;
        }
        bytes += line.size() + 1;
    }
    std::string& text = storage.lines.for_text(bytes);
    const std::size_t begin = text.size();
    for (const flatbuffers::String* const name : *names) {
        if (name != nullptr && name->size() > 0) {
            append_line(text, name->string_view());
        }
    }
    if (Fields::size_of(numbers) > 0) {
        text += '\n';
        for (const std::int64_t number : *numbers) {
            fmt::format_to(std::back_inserter(text), "{}\n", number);
        }
    }
    out = std::string_view(text).substr(begin);
    return true;
}

// Of a query: totals are of its node and of the others, or there are none.
bool read_others(const fbs::Decision& decision, std::size_t i, Fields& fields, Storage& storage,
                 std::string_view& out) {
    const Numbers* const totals = decision.kind() == fbs::DecisionKind::queried ? decision.totals() : nullptr;
    const Where where{"decisions", i, "totals"};
    if (!fields.items(totals, where) || !fields.may_hold(Fields::size_of(totals) * kNumberBytes, where)) {
        return false;
    }
    if (Fields::size_of(totals) > 0 && Fields::size_of(totals) != Fields::size_of(decision.others()) + 1) {
        return fields.fail(where, "are not one for each node");
    }
    return read_lines(decision.others(), {"decisions", i, "others"}, fields, storage, out, totals);
}

// Pairs as one text, each KEY=VALUE and ended by LF. Those without a key say nothing.
bool read_pairs(const flatbuffers::Vector<flatbuffers::Offset<fbs::TextPair>>* pairs, const Where& where,
                Fields& fields, Storage& storage, std::string_view& out) {
    if (!fields.items(pairs, where)) {
        return false;
    }
    std::string& text = storage.build;
    text.clear();
    if (Fields::size_of(pairs) == 0) {
        return true;
    }
    for (const fbs::TextPair* const pair : *pairs) {
        std::string_view key;
        std::string_view value;
        if (!fields.name(pair->key(), where, key) || !fields.name(pair->value(), where, value) ||
            !fields.may_hold(key.size() + value.size() + 2, where)) {
            return false;
        }
        if (!key.empty() && key.find('=') == std::string_view::npos) {
            text.append(key) += '=';
            append_line(text, value);
        }
    }
    out = text;
    return true;
}

bool decode(const fbs::Hello& hello, Fields& fields, Storage& storage, Hello& out) {
    out.protocol_min = hello.protocol_min();
    out.protocol_max = hello.protocol_max();
    out.features = hello.features();
    out.shim_instance = hello.shim_instance();
    out.daemon_instance = hello.daemon_instance();
    out.decisions_received = hello.decisions_received();
    storage.lines.clear();
    return fields.name(hello.partition(), {.field = "partition"}, out.partition) &&
           fields.name(hello.version(), {.field = "version"}, out.version) &&
           read_lines(hello.plugins(), {.field = "plugins"}, fields, storage, out.plugins) &&
           read_pairs(hello.build_info(), {.field = "build_info"}, fields, storage, out.build);
}

bool decode(const fbs::HelloReply& reply, Fields& fields, Storage&, HelloReplyFrame& out) {
    out.outcome = static_cast<HelloOutcome>(reply.outcome());
    out.daemon_instance = reply.daemon_instance();
    out.state_applied = reply.state_applied();
    out.credit_window = reply.credit_window();
    out.features = reply.features();
    out.protocol = reply.protocol();
    return fields.known(out.outcome, HelloOutcome::resume, HelloOutcome::refused, {.field = "outcome"}) &&
           fields.prose(reply.reason(), {.field = "reason"}, out.reason);
}

bool decode(const fbs::State& state, Fields& fields, Storage& storage, StateFrame& out) {
    return decode_state(state, fields, storage, out);
}

bool decode(const fbs::Acknowledge& acknowledge, Fields&, Storage&, AcknowledgeFrame& out) {
    out.up_to = acknowledge.up_to();
    return true;
}

bool decode(const fbs::StateApplied& applied, Fields&, Storage&, StateAppliedFrame& out) {
    out.up_to = applied.up_to();
    return true;
}

bool decode(const fbs::CountersRequest& request, Fields&, Storage&, CountersRequest& out) {
    out.token = request.token();
    return true;
}

bool decode(const fbs::Counters& counters, Fields& fields, Storage& storage, CountersFrame& out) {
    out.token = counters.token();
    out.uptime_ms = counters.uptime_ms();
    const auto* names = counters.names();
    std::span<const std::uint64_t> values;
    if (!fields.name(counters.version(), {.field = "version"}, out.version) ||
        !fields.items(names, {.field = "names"}) || !fields.numbers(counters.values(), {.field = "values"}, values)) {
        return false;
    }
    if (Fields::size_of(names) != values.size()) {
        return fields.fail({.field = "values"}, "are not as many as names");
    }
    storage.counters.assign(values.size(), NamedCounter{});
    for (std::size_t i = 0; i < storage.counters.size(); ++i) {
        const auto* name = names->Get(static_cast<flatbuffers::uoffset_t>(i));
        storage.counters[i].value = values[i];
        if (!fields.name(name, {"names", i}, storage.counters[i].name)) {
            return false;
        }
    }
    out.counters = storage.counters;
    return true;
}

// More pods than any node has.
constexpr std::uint32_t kPodsMax = UINT16_MAX;

bool decode_decision(const fbs::Decision& decision, std::size_t i, Fields& fields, Storage& storage, Decision& out) {
    out.kind = static_cast<DecisionKind>(decision.kind());
    out.termination = static_cast<Termination>(decision.termination());
    out.scale_up = decision.scale_up();
    out.query = decision.query();
    out.needed = static_cast<std::uint16_t>(std::min(decision.needed(), kPodsMax));
    out.violations = static_cast<std::uint16_t>(std::min(decision.violations(), kPodsMax));
    const bool queried = is_query(out.kind);
    if (queried && !read_others(decision, i, fields, storage, out.text)) {
        return false;
    }
    return fields.known(out.kind, DecisionKind::node_accepted, DecisionKind::victims_queried,
                        {"decisions", i, "kind"}) &&
           fields.known(out.termination, Termination::unknown, Termination::placeholder_replaced,
                        {"decisions", i, "termination"}) &&
           fields.name(decision.name(), {"decisions", i, "name"}, out.name) &&
           fields.name(decision.node(), {"decisions", i, "node"}, out.node) &&
           fields.name(decision.devices(), {"decisions", i, "devices"}, out.devices) &&
           (queried || fields.prose(decision.text(), {"decisions", i, "text"}, out.text));
}

bool decode(const fbs::Decisions& decisions, Fields& fields, Storage& storage, DecisionsFrame& out) {
    out.first_sequence = decisions.first_sequence();
    out.state_applied = decisions.state_applied();
    const auto* tables = decisions.decisions();
    if (!fields.items(tables, {.field = "decisions"})) {
        return false;
    }
    storage.decisions.assign(Fields::size_of(tables), Decision{});
    storage.lines.clear();
    for (std::size_t i = 0; i < storage.decisions.size(); ++i) {
        const fbs::Decision& table = *tables->Get(static_cast<flatbuffers::uoffset_t>(i));
        if (!decode_decision(table, i, fields, storage, storage.decisions[i])) {
            return false;
        }
    }
    out.decisions = storage.decisions;
    return true;
}

bool decode(const fbs::ContainerStates& message, Fields& fields, Storage& storage, ContainerStatesFrame& out) {
    const auto* states = message.states();
    if (!fields.items(states, {.field = "states"})) {
        return false;
    }
    storage.states.assign(Fields::size_of(states), ContainerState{});
    for (std::size_t i = 0; i < storage.states.size(); ++i) {
        const fbs::ContainerState& state = *states->Get(static_cast<flatbuffers::uoffset_t>(i));
        ContainerState& record = storage.states[i];
        record.state = static_cast<SchedulingState>(state.state());
        if (!fields.known(record.state, SchedulingState::unknown, SchedulingState::failed, {"states", i, "state"}) ||
            !fields.name(state.ask(), {"states", i, "ask"}, record.ask) ||
            !fields.prose(state.reason(), {"states", i, "reason"}, record.reason)) {
            return false;
        }
    }
    out.states = storage.states;
    return true;
}

bool decode_event(const fbs::Event& event, std::size_t i, Fields& fields, Storage& storage, EventRecord& out) {
    out.type = static_cast<std::uint8_t>(event.type());
    out.change = static_cast<std::uint8_t>(event.change());
    out.detail = event.detail();
    out.time_ns = event.time_ns();
    const auto* amounts = event.amounts();
    if (!fields.items(amounts, {"events", i, "amounts"}) ||
        !fields.may_hold(Fields::size_of(amounts) * sizeof(EventAmount), {"events", i, "amounts"})) {
        return false;
    }
    for (std::size_t j = 0; j < Fields::size_of(amounts); ++j) {
        const fbs::NamedAmount& amount = *amounts->Get(static_cast<flatbuffers::uoffset_t>(j));
        EventAmount& record = storage.event_amounts.emplace_back();
        record.value = amount.value();
        if (!fields.name(amount.kind(), {"events", i, "amounts"}, record.resource)) {
            return false;
        }
    }
    return fields.name(event.object(), {"events", i, "object"}, out.object) &&
           fields.name(event.reference(), {"events", i, "reference"}, out.reference) &&
           fields.prose(event.message(), {"events", i, "message"}, out.message);
}

// Amounts of all events lie one behind the other: their places are known when all are read.
bool decode(const fbs::Events& message, Fields& fields, Storage& storage, EventsFrame& out) {
    const auto* events = message.events();
    if (!fields.items(events, {.field = "events"})) {
        return false;
    }
    storage.events.assign(Fields::size_of(events), EventRecord{});
    storage.event_amounts.clear();
    for (std::size_t i = 0; i < storage.events.size(); ++i) {
        const fbs::Event& event = *events->Get(static_cast<flatbuffers::uoffset_t>(i));
        if (!decode_event(event, i, fields, storage, storage.events[i])) {
            return false;
        }
    }
    std::span<const EventAmount> amounts = storage.event_amounts;
    for (std::size_t i = 0; i < storage.events.size(); ++i) {
        const fbs::Event& event = *events->Get(static_cast<flatbuffers::uoffset_t>(i));
        storage.events[i].amounts = amounts.first(Fields::size_of(event.amounts()));
        amounts = amounts.subspan(storage.events[i].amounts.size());
    }
    out.events = storage.events;
    return true;
}

bool decode(const fbs::ConfigurationChanged& message, Fields& fields, Storage&, ConfigurationFrame& out) {
    return fields.name(message.partition(), {.field = "partition"}, out.partition) &&
           fields.document(message.text(), {.field = "text"}, out.text);
}

bool decode(const fbs::StateDumpRequest& request, Fields&, Storage&, StateDumpRequest& out) {
    out.token = request.token();
    return true;
}

bool decode(const fbs::StateDump& dump, Fields& fields, Storage&, StateDumpFrame& out) {
    out.token = dump.token();
    return fields.document(dump.text(), {.field = "text"}, out.text);
}

template <class Record, class Wire>
bool decode_body(const Wire* body, Fields& fields, Storage& storage, Message& out) {
    if (body == nullptr) {
        return fields.fail({.field = "envelope"}, "has no message");
    }
    return decode(*body, fields, storage, out.emplace<Record>());
}

bool decode_envelope(const fbs::Envelope& envelope, Fields& fields, Storage& storage, Message& out) {
    if (envelope.schema_version() == 0) {
        return fields.fail({.field = "schema_version"}, "is not given");
    }
    switch (envelope.body_type()) {
        case fbs::Body::Hello: return decode_body<Hello>(envelope.body_as_Hello(), fields, storage, out);
        case fbs::Body::HelloReply:
            return decode_body<HelloReplyFrame>(envelope.body_as_HelloReply(), fields, storage, out);
        case fbs::Body::State: return decode_body<StateFrame>(envelope.body_as_State(), fields, storage, out);
        case fbs::Body::Acknowledge:
            return decode_body<AcknowledgeFrame>(envelope.body_as_Acknowledge(), fields, storage, out);
        case fbs::Body::Decisions:
            return decode_body<DecisionsFrame>(envelope.body_as_Decisions(), fields, storage, out);
        case fbs::Body::StateApplied:
            return decode_body<StateAppliedFrame>(envelope.body_as_StateApplied(), fields, storage, out);
        case fbs::Body::CountersRequest:
            return decode_body<CountersRequest>(envelope.body_as_CountersRequest(), fields, storage, out);
        case fbs::Body::Counters: return decode_body<CountersFrame>(envelope.body_as_Counters(), fields, storage, out);
        case fbs::Body::ContainerStates:
            return decode_body<ContainerStatesFrame>(envelope.body_as_ContainerStates(), fields, storage, out);
        case fbs::Body::Events: return decode_body<EventsFrame>(envelope.body_as_Events(), fields, storage, out);
        case fbs::Body::ConfigurationChanged:
            return decode_body<ConfigurationFrame>(envelope.body_as_ConfigurationChanged(), fields, storage, out);
        case fbs::Body::StateDumpRequest:
            return decode_body<StateDumpRequest>(envelope.body_as_StateDumpRequest(), fields, storage, out);
        case fbs::Body::StateDump:
            return decode_body<StateDumpFrame>(envelope.body_as_StateDump(), fields, storage, out);
        case fbs::Body::PredicateQuery:
        case fbs::Body::PredicateAnswer:
        case fbs::Body::VictimQuery:
        case fbs::Body::VictimAnswer:
            return fields.fail({}, fmt::format("of kind {} needs a feature that is not offered",
                                               fbs::EnumNameBody(envelope.body_type())));
        case fbs::Body::NONE: return fields.fail({.field = "envelope"}, "has no message");
    }
    return fields.fail({}, fmt::format("of kind {} is not known", static_cast<unsigned>(envelope.body_type())));
}

}  // namespace

Agreed agree(std::uint32_t protocol_min, std::uint32_t protocol_max, std::uint64_t features) {
    const std::uint32_t protocol = std::min(protocol_max, kProtocolMax);
    if (protocol < std::max(protocol_min, kProtocolMin)) {
        return {};
    }
    return {protocol, features & kFeatures};
}

bool verify(std::span<const std::byte> bytes, std::string& error) { return verified_envelope(bytes, error) != nullptr; }

DecodedFrame::DecodedFrame() : storage_(std::make_unique<Storage>()) {}
DecodedFrame::~DecodedFrame() = default;
DecodedFrame::DecodedFrame(DecodedFrame&&) noexcept = default;
DecodedFrame& DecodedFrame::operator=(DecodedFrame&&) noexcept = default;

std::size_t DecodedFrame::held_bytes() const {
    const bool owns = !storage_->specs.empty() || !storage_->objects.empty();
    return storage_->held_bytes() + (owns ? decoded_bytes_ : 0);
}

bool DecodedFrame::decode(std::span<const std::byte> bytes, const Limits& limits, std::string& error) {
    const fbs::Envelope* envelope = verified_envelope(bytes, error);
    if (envelope == nullptr) {
        return false;
    }
    Fields fields(limits, bytes.size(), error);
    const bool sound = decode_envelope(*envelope, fields, *storage_, message_);
    decoded_bytes_ = fields.decoded_bytes();
    return sound;
}

}  // namespace bayplan::wire
