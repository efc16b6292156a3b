// Messages to bytes: the envelope and everything outside the state stream.
//
// Thread: any, one encoder per thread. Errors: none; a record that does not keep to the limits is
// encoded as it is, and refused by the reader.
#include "wire/codec.h"

#include "base/lines.h"
#include "shim_generated.h"
#include "wire/builder.h"
#include "wire/encode_state.h"
#include "wire/text_memo.h"

namespace bayplan::wire {

// The released schemas are counted from 1; see fbs/README.md.
constexpr std::uint16_t kSchemaVersion = 1;

constexpr std::size_t kBufferBytesFirst = 64 * 1024;  // grows by itself

struct Encoder::Builder {
    struct Body {
        fbs::Body kind;
        flatbuffers::Offset<void> place;
    };

    flatbuffers::FlatBufferBuilder out{kBufferBytesFirst};
    Tables tables;
    TextMemo memo;
    Tables lines;
    std::vector<std::int64_t> numbers;

    // A list of the texts, of which each is ended by LF. Empty ones say nothing, and have no place in a buffer.
    flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>> put_lines(
        std::string_view texts) {
        lines.clear();
        for_each_line(texts, [&](std::string_view line) {
            if (!line.empty()) {
                lines.push_back(memo.put(out, line).o);
            }
        });
        return put_tables<flatbuffers::String>(out, lines);
    }

    // A list of whole numbers, each ended by LF. No list if there are none.
    flatbuffers::Offset<flatbuffers::Vector<std::int64_t>> put_numbers(std::string_view texts) {
        numbers.clear();
        for_each_line(texts, [&](std::string_view line) { numbers.push_back(number_in(line)); });
        return numbers.empty() ? 0 : out.CreateVector(numbers);
    }

    // Of lines KEY=VALUE.
    flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<fbs::TextPair>>> put_pairs(std::string_view texts) {
        lines.clear();
        for_each_line(texts, [&](std::string_view line) {
            const std::size_t end = line.find('=');
            if (end == 0 || end == std::string_view::npos) return;
            const auto key = put_text(out, line.substr(0, end));
            const auto value = put_text(out, line.substr(end + 1));
            lines.push_back(fbs::CreateTextPair(out, key, value).o);
        });
        return put_tables<fbs::TextPair>(out, lines);
    }

    Body operator()(const Hello& hello) {
        const auto partition = put_text(out, hello.partition);
        const auto version = put_text(out, hello.version);
        memo.clear();  // of the message before
        const auto plugins = put_lines(hello.plugins);
        const auto build = put_pairs(hello.build);
        const auto place = fbs::CreateHello(out, hello.protocol_min, hello.protocol_max, hello.features, partition,
                                            hello.shim_instance, hello.daemon_instance, hello.decisions_received,
                                            version, 0, build, plugins);
        return {fbs::Body::Hello, place.Union()};
    }

    Body operator()(const HelloReplyFrame& reply) {
        const auto reason = put_text(out, reply.reason);
        const auto place =
            fbs::CreateHelloReply(out, static_cast<fbs::HelloOutcome>(reply.outcome), reply.daemon_instance,
                                  reply.state_applied, reply.credit_window, reason, reply.features, reply.protocol);
        return {fbs::Body::HelloReply, place.Union()};
    }

    Body operator()(const StateFrame& state) { return {fbs::Body::State, put_state(out, tables, state).Union()}; }

    Body operator()(const AcknowledgeFrame& acknowledge) {
        return {fbs::Body::Acknowledge, fbs::CreateAcknowledge(out, acknowledge.up_to).Union()};
    }

    Body operator()(const DecisionsFrame& frame) {
        memo.clear();
        tables.clear();
        for (const Decision& decision : frame.decisions) {
            const bool queried = is_query(decision.kind);
            const auto name = put_text(out, decision.name);
            const auto node = memo.put(out, decision.node);
            const auto text = queried ? 0 : memo.put(out, decision.text);
            const auto devices = memo.put(out, decision.devices);
            const auto [list, numbers] = decision.kind == DecisionKind::queried ? two_lists(decision.text)
                                         : queried                              ? TwoLists{decision.text, {}}
                                                                                : TwoLists{};
            const auto others = put_lines(list);
            const auto totals = put_numbers(numbers);
            const auto place = fbs::CreateDecision(out, static_cast<fbs::DecisionKind>(decision.kind),
                                                   static_cast<fbs::Termination>(decision.termination), name, node,
                                                   text, 0, 0, 0, decision.scale_up, devices, decision.query, others,
                                                   decision.needed, decision.violations, totals);
            tables.push_back(place.o);
        }
        const auto decisions = put_tables<fbs::Decision>(out, tables);
        const auto place = fbs::CreateDecisions(out, frame.first_sequence, frame.state_applied, decisions);
        return {fbs::Body::Decisions, place.Union()};
    }

    Body operator()(const CountersRequest& request) {
        return {fbs::Body::CountersRequest, fbs::CreateCountersRequest(out, request.token).Union()};
    }

    Body operator()(const CountersFrame& frame) {
        tables.clear();
        // Never left out, unlike other texts: names and values belong together by their places.
        for (const NamedCounter& counter : frame.counters) {
            tables.push_back(out.CreateString(counter.name.data(), counter.name.size()).o);
        }
        const auto names = put_tables<flatbuffers::String>(out, tables);
        flatbuffers::Offset<flatbuffers::Vector<std::uint64_t>> values;
        if (!frame.counters.empty()) {
            std::uint64_t* at = nullptr;
            values = out.CreateUninitializedVector(frame.counters.size(), &at);
            for (const NamedCounter& counter : frame.counters) {
                *at++ = flatbuffers::EndianScalar(counter.value);
            }
        }
        const auto version = put_text(out, frame.version);
        const auto place = fbs::CreateCounters(out, frame.token, version, frame.uptime_ms, names, values);
        return {fbs::Body::Counters, place.Union()};
    }

    Body operator()(const ContainerStatesFrame& frame) {
        memo.clear();
        tables.clear();
        const auto states = put_list<fbs::ContainerState>(out, tables, frame.states, [&](const ContainerState& state) {
            const auto ask = put_text(out, state.ask);
            const auto reason = memo.put(out, state.reason);
            return fbs::CreateContainerState(out, ask, 0, static_cast<fbs::SchedulingState>(state.state), reason);
        });
        return {fbs::Body::ContainerStates, fbs::CreateContainerStates(out, states).Union()};
    }

    Body operator()(const EventsFrame& frame) {
        memo.clear();
        tables.clear();
        const auto events = put_list<fbs::Event>(out, tables, frame.events, [&](const EventRecord& event) {
            const auto amounts = put_list<fbs::NamedAmount>(out, tables, event.amounts, [&](const EventAmount& one) {
                const auto kind = memo.put(out, one.resource);
                return fbs::CreateNamedAmount(out, kind, one.value);
            });
            const auto object = memo.put(out, event.object);
            const auto reference = memo.put(out, event.reference);
            const auto message = memo.put(out, event.message);
            return fbs::CreateEvent(out, static_cast<fbs::EventType>(event.type), object, reference, message,
                                    event.time_ns, static_cast<fbs::EventChange>(event.change), event.detail, amounts);
        });
        return {fbs::Body::Events, fbs::CreateEvents(out, events).Union()};
    }

    Body operator()(const ConfigurationFrame& frame) {
        const auto partition = put_text(out, frame.partition);
        const auto text = put_text(out, frame.text);
        return {fbs::Body::ConfigurationChanged, fbs::CreateConfigurationChanged(out, partition, text).Union()};
    }

    Body operator()(const StateDumpRequest& request) {
        return {fbs::Body::StateDumpRequest, fbs::CreateStateDumpRequest(out, request.token).Union()};
    }

    Body operator()(const StateDumpFrame& dump) {
        const auto text = put_text(out, dump.text);
        return {fbs::Body::StateDump, fbs::CreateStateDump(out, dump.token, text).Union()};
    }

    Body operator()(const StateAppliedFrame& applied) {
        return {fbs::Body::StateApplied, fbs::CreateStateApplied(out, applied.up_to).Union()};
    }
};

Encoder::Encoder() : builder_(std::make_unique<Builder>()) {}
Encoder::~Encoder() = default;

std::span<const std::byte> Encoder::encode(const Message& message) {
    flatbuffers::FlatBufferBuilder& out = builder_->out;
    out.Clear();
    // So that the finished bytes are a multiple of 8 and can be decoded where they lie.
    out.Align(8);
    const Builder::Body body = std::visit(*builder_, message);
    fbs::FinishEnvelopeBuffer(out, fbs::CreateEnvelope(out, kSchemaVersion, body.kind, body.place));
    return {reinterpret_cast<const std::byte*>(out.GetBufferPointer()), out.GetSize()};
}

}  // namespace bayplan::wire
