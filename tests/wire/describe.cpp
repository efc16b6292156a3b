// Records as text, field by field. See describe.h.
#include "describe.h"

#include <fmt/format.h>

#include "item_fields.h"

namespace bayplan::wire {
namespace {

// Appends "name=value " pieces; strings are quoted by their length so that no text can imitate
// another.
class Text {
public:
    Text& operator()(const char* name, std::string_view value) {
        fmt::format_to(std::back_inserter(text_), "{}={}:{} ", name, value.size(), value);
        return *this;
    }
    Text& operator()(const char* name, std::int64_t value) {
        fmt::format_to(std::back_inserter(text_), "{}={} ", name, value);
        return *this;
    }
    Text& number(const char* name, std::uint64_t value) {
        fmt::format_to(std::back_inserter(text_), "{}={} ", name, value);
        return *this;
    }
    Text& operator()(const char* name, std::span<const Amount> amounts) {
        begin(name, amounts.size());
        for (const Amount& amount : amounts) {
            fmt::format_to(std::back_inserter(text_), "{}:{} ", amount.resource, amount.value);
        }
        return *this;
    }
    Text& operator()(const char* name, std::span<const Attribute> attributes) {
        begin(name, attributes.size());
        for (const Attribute& attribute : attributes) {
            fmt::format_to(std::back_inserter(text_), "{}:{} ", attribute.key, attribute.value);
        }
        return *this;
    }
    Text& operator()(const char* name, std::span<const DictId> ids) {
        begin(name, ids.size());
        for (const DictId id : ids) {
            fmt::format_to(std::back_inserter(text_), "{} ", id);
        }
        return *this;
    }
    // A record with all its fields, in their order.
    template <HasFields Record>
    Text& operator()(const Record& record) {
        text_ += '{';
        std::apply([this](const auto&... field) { (part(field), ...); }, fields(record));
        text_ += "} ";
        return *this;
    }
    void begin(const char* name, std::size_t size) {
        fmt::format_to(std::back_inserter(text_), "\n{}[{}] ", name, size);
    }
    void line() { text_ += '\n'; }

    std::string take() { return std::move(text_); }

private:
    template <class Value>
    void part(const Value& value) {
        if constexpr (HasFields<Value>) {
            (*this)(value);
        } else if constexpr (std::is_same_v<Value, std::string_view>) {
            fmt::format_to(std::back_inserter(text_), "{}:{} ", value.size(), value);
        } else {
            fmt::format_to(std::back_inserter(text_), "{} ", static_cast<std::int64_t>(value));
        }
    }
    template <class Value>
    void part(const std::optional<Value>& value) {
        text_ += value ? "some " : "none ";
        if (value) {
            part(*value);
        }
    }
    template <class Entry>
    void part(const std::vector<Entry>& list) {
        part(std::span<const Entry>(list));
    }
    template <class Entry>
    void part(const std::span<const Entry>& list) {
        fmt::format_to(std::back_inserter(text_), "[{}] ", list.size());
        for (const Entry& entry : list) {
            part(entry);
        }
    }
    void part(const ClusterObject& object) {
        fmt::format_to(std::back_inserter(text_), "object {} ", object.index());
        std::visit([this](const auto& one) { (*this)(one); }, object);
    }

    std::string text_;
};

template <class Enum>
std::int64_t number_of(Enum value) {
    return static_cast<std::int64_t>(value);
}

void put(Text& out, const DictEntry& entry) { out.number("id", entry.id)("text", entry.text); }

void put(Text& out, const NodeItem& node) { out(node); }

void put(Text& out, const ApplicationItem& application) {
    out.number("application", application.application).number("queue", application.queue);
    out.number("user", application.user);
    for (const DictId group : application.user_groups) {
        out.number("user_group", group);
    }
    for (const Amount& amount : application.placeholder_ask) {
        out("placeholder_ask", std::to_string(amount.resource) + "=" + std::to_string(amount.value));
    }
    for (const Attribute& tag : application.tags) {
        out("tag", std::to_string(tag.key) + "=" + std::to_string(tag.value));
    }
    out("gang_style", number_of(application.gang_style));
    out("placeholder_timeout_ms", std::to_string(application.placeholder_timeout_ms));
}

void put(Text& out, const AskItem& ask) { out(ask); }

void put(Text& out, const ReleaseItem& release) {
    out("key", release.key).number("application", release.application);
    out("termination", number_of(release.termination))("message", release.message);
}

void put(Text& out, const SpecItem& spec) { out(spec); }
void put(Text& out, const ObjectItem& object) { out(object); }

void put(Text& out, const NackItem& nack) { out("key", nack.key)("reason", nack.reason); }

void put(Text& out, const Decision& decision) {
    out("kind", number_of(decision.kind))("termination", number_of(decision.termination));
    out("name", decision.name)("node", decision.node)("text", decision.text);
    out("scale_up", number_of(decision.scale_up))("devices", decision.devices);
    out.number("query", decision.query).number("needed", decision.needed).number("violations", decision.violations);
}

template <class Record>
void put_all(Text& out, const char* name, std::span<const Record> records) {
    out.begin(name, records.size());
    for (const Record& record : records) {
        out.line();
        put(out, record);
    }
}

void put(Text& out, const DefineMessage& message) { put_all(out, "define", message.entries); }
void put(Text& out, const ForgetMessage& message) { out("forget", message.ids); }
void put(Text& out, const NodesMessage& message) { put_all(out, "nodes", message.nodes); }
void put(Text& out, const ApplicationsMessage& message) {
    put_all(out, "add", message.add);
    out("remove", message.remove);
}
void put(Text& out, const AsksMessage& message) { put_all(out, "asks", message.asks); }
void put(Text& out, const ReleasesMessage& message) { put_all(out, "releases", message.releases); }
void put(Text& out, const NacksMessage& message) { put_all(out, "nacks", message.nacks); }
void put(Text& out, const ResyncBeginMessage&) { out.begin("resync begin", 0); }
void put(Text& out, const ResyncEndMessage&) { out.begin("resync end", 0); }
void put(Text& out, const ConfigurationMessage& message) { out("configuration", message.text); }

void put(Text& out, const SpecsMessage& message) {
    put_all(out, "specs", message.define);
    out("forget", message.forget);
}
void put(Text& out, const ObjectsMessage& message) { put_all(out, "objects", message.objects); }

void put(Text& out, const PluginAnswersMessage& message) {
    out.begin("answers", message.answers.size());
    for (const PluginAnswer& answer : message.answers) {
        out.number("query", answer.query)("failure", answer.failure).number("lasting", answer.lasting ? 1 : 0);
        out.begin("verdicts", answer.verdicts.size());
        for (const PluginVerdict verdict : answer.verdicts) {
            out.number("verdict", static_cast<std::uint64_t>(verdict));
        }
        out.begin("reasons", answer.reasons.size());
        for (const PluginReason& reason : answer.reasons) {
            out.number("node", reason.node)("text", reason.text);
        }
        out.number("first_victims", answer.first_victims).begin("victims", answer.victims.size());
        for (const std::uint32_t victim : answer.victims) {
            out.number("victim", victim);
        }
    }
}

void put(Text& out, const Hello& hello) {
    out.begin("hello", 0);
    out.number("protocol_min", hello.protocol_min).number("protocol_max", hello.protocol_max);
    out.number("features", hello.features)("partition", hello.partition);
    out.number("shim_instance", hello.shim_instance).number("daemon_instance", hello.daemon_instance);
    out.number("decisions_received", hello.decisions_received)("version", hello.version);
    out("plugins", hello.plugins)("build", hello.build);
}

void put(Text& out, const HelloReplyFrame& reply) {
    out.begin("reply", 0);
    out("outcome", number_of(reply.outcome)).number("daemon_instance", reply.daemon_instance);
    out.number("state_applied", reply.state_applied).number("credit_window", reply.credit_window);
    out("reason", reply.reason);
    out.number("features", reply.features).number("protocol", reply.protocol);
}

void put(Text& out, const StateFrame& state) {
    out.number("sequence", state.sequence);
    std::visit([&out](const auto& body) { put(out, body); }, state.body);
}

void put(Text& out, const AcknowledgeFrame& acknowledge) { out.number("acknowledge", acknowledge.up_to); }

void put(Text& out, const DecisionsFrame& frame) {
    out.number("first_sequence", frame.first_sequence).number("state_applied", frame.state_applied);
    put_all(out, "decisions", frame.decisions);
}

void put(Text& out, const StateAppliedFrame& applied) { out.number("state applied", applied.up_to); }

void put(Text& out, const CountersRequest& request) { out.number("counters request", request.token); }

void put(Text& out, const CountersFrame& frame) {
    out.number("token", frame.token)("version", frame.version);
    out.number("uptime_ms", frame.uptime_ms).begin("counters", frame.counters.size());
    for (const NamedCounter& counter : frame.counters) {
        out("name", counter.name).number("value", counter.value);
    }
}

void put(Text& out, const ContainerStatesFrame& frame) {
    out.begin("states", frame.states.size());
    for (const ContainerState& state : frame.states) {
        out("ask", state.ask).number("state", static_cast<std::uint64_t>(state.state))("reason", state.reason);
    }
}

void put(Text& out, const EventsFrame& frame) {
    out.begin("events", frame.events.size());
    for (const EventRecord& event : frame.events) {
        out.number("type", event.type).number("change", event.change).number("detail", event.detail);
        out("time", event.time_ns)("object", event.object)("reference", event.reference)("message", event.message);
        out.begin("amounts", event.amounts.size());
        for (const EventAmount& amount : event.amounts) {
            out("resource", amount.resource)("value", amount.value);
        }
    }
}

void put(Text& out, const ConfigurationFrame& frame) { out("partition", frame.partition)("configuration", frame.text); }

void put(Text& out, const StateDumpRequest& request) { out.number("state dump request", request.token); }

void put(Text& out, const StateDumpFrame& dump) { out.number("state dump", dump.token)("text", dump.text); }

void put(Text& out, const Tick& tick) { out("tick", tick.now_ns); }

void put(Text& out, const Connect& connect) {
    out.number("connect", connect.connection)("shim", connect.shim);
    out.number("shim_instance", connect.shim_instance).number("daemon_instance", connect.daemon_instance);
    out.number("decisions_received", connect.decisions_received)("plugins", connect.plugins);
    out.number("gives_claims_back", connect.gives_claims_back).number("judges_victims", connect.judges_victims);
}

void put(Text& out, const Disconnect& disconnect) { out.number("disconnect", disconnect.connection); }

void put(Text& out, const StateMessage& state) {
    out.number("connection", state.connection);
    put(out, StateFrame{state.sequence, state.body});
}

void put(Text& out, const Acknowledge& acknowledge) {
    out.number("acknowledge on", acknowledge.connection).number("up_to", acknowledge.up_to);
}

void put(Text& out, const HoldPlace& hold) {
    out.number("hold", hold.owner)("node", hold.node)("kept_from_below", hold.kept_from_below);
    for (const auto& [kind, value] : hold.amounts) {
        out("kind", kind)("value", value);
    }
}

void put(Text& out, const HoldDrop& hold) { out.number("drop hold", hold.owner); }

void put(Text& out, const QueuesText& queues) { out("queues", queues.partition)("text", queues.text); }

}  // namespace

std::string describe(const Message& message) {
    Text out;
    std::visit([&out](const auto& body) { put(out, body); }, message);
    return out.take();
}

std::string describe(const Input& input) {
    Text out;
    std::visit([&out](const auto& body) { put(out, body); }, input);
    return out.take();
}

}  // namespace bayplan::wire
