// State messages: dictionary, nodes, applications, asks, releases, nacks, resync, configuration;
// specs and objects are read by decode_spec.cpp and decode_object.cpp.
//
// Reads tables that the verifier has passed; everything here is about limits and about fields which
// this version would have to obey and cannot. Thread and owner: those of the DecodedFrame.
#include "wire/decode_state.h"

#include <cstddef>

#include <fmt/format.h>

#include "shim_generated.h"
#include "wire/decode_object.h"
#include "wire/decode_spec.h"

namespace bayplan::wire {
namespace {

// Fields::structs hands out spans of these over the wire's own bytes. Amount's offsets: 0 and 8,
// with four bytes of padding between, as flatbuffers lays them out.
static_assert(offsetof(Amount, resource) == 0 && offsetof(Amount, value) == 8 && sizeof(fbs::Amount) == 16);
static_assert(offsetof(Attribute, key) == 0 && offsetof(Attribute, value) == 4 && sizeof(fbs::Attribute) == 8);
static_assert(offsetof(Taint, key) == 0 && offsetof(Taint, value) == 4 && offsetof(Taint, effect) == 8 &&
              sizeof(Taint::effect) == 1 && sizeof(fbs::Taint) == 12);

// One record per table of the vector, into storage that is reused.
template <class Wire, class Record, class Read>
bool read_items(const flatbuffers::Vector<flatbuffers::Offset<Wire>>* tables, const char* list, Fields& fields,
                std::vector<Record>& storage, std::span<const Record>& out, Read read) {
    const std::size_t size = Fields::size_of(tables);
    if (!fields.items(tables, {.field = list}) || !fields.may_hold(size * sizeof(Record), {.field = list})) {
        return false;
    }
    storage.clear();
    storage.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
        const Wire& table = *tables->Get(static_cast<flatbuffers::uoffset_t>(i));
        if (!read(table, i, storage[i])) {
            return false;
        }
    }
    out = storage;
    return true;
}

bool decode(const fbs::Define& define, Fields& fields, Storage& storage, DefineMessage& out) {
    return read_items(define.entries(), "entries", fields, storage.entries, out.entries,
                      [&](const fbs::DictionaryEntry& entry, std::size_t i, DictEntry& record) {
                          record.id = entry.id();
                          return fields.name(entry.text(), {"entries", i, "text"}, record.text);
                      });
}

bool decode(const fbs::Forget& forget, Fields& fields, Storage&, ForgetMessage& out) {
    return fields.ids(forget.ids(), {.field = "ids"}, out.ids);
}

// Spans over the frame cannot say which effect is wrong, so each is looked at here.
bool known_effects(std::span<const Taint> taints, const Where& node, Fields& fields) {
    for (std::size_t i = 0; i < taints.size(); ++i) {
        if (!fields.known(taints[i].effect, TaintEffect::no_schedule, TaintEffect::no_execute,
                          Where::entry(node, "taints", i).at("effect"))) {
            return false;
        }
    }
    return true;
}

bool decode_node(const fbs::Node& node, const Where& where, Fields& fields, NodeItem& record) {
    const Limits& limits = fields.limits();
    record.node = node.node();
    record.action = static_cast<NodeAction>(node.action());
    return fields.known(record.action, NodeAction::create, NodeAction::create_drain, where.at("action")) &&
           fields.structs(node.capacity(), limits.amounts_max, where.at("capacity"), record.capacity) &&
           fields.structs(node.attributes(), limits.attributes_max, where.at("attributes"), record.attributes) &&
           fields.structs(node.taints(), limits.attributes_max, where.at("taints"), record.taints) &&
           known_effects(record.taints, where, fields) &&
           fields.structs(node.images(), limits.terms_max, where.at("images"), record.images) &&
           fields.count(Fields::size_of(node.devices()), limits.amounts_max, where.at("devices")) &&
           fields.ids(node.devices(), where.at("devices"), record.devices);
}

bool decode(const fbs::Nodes& nodes, Fields& fields, Storage& storage, NodesMessage& out) {
    return read_items(nodes.nodes(), "nodes", fields, storage.nodes, out.nodes,
                      [&](const fbs::Node& node, std::size_t i, NodeItem& record) {
                          return decode_node(node, {"nodes", i}, fields, record);
                      });
}

bool decode(const fbs::Applications& applications, Fields& fields, Storage& storage, ApplicationsMessage& out) {
    return fields.ids(applications.remove(), {.field = "remove"}, out.remove) &&
           read_items(applications.add(), "add", fields, storage.applications, out.add,
                      [&](const fbs::Application& application, std::size_t i, ApplicationItem& record) {
                          record.application = application.application();
                          record.queue = application.queue();
                          record.user = application.user();
                          record.gang_style = static_cast<GangStyle>(application.gang_style());
                          record.placeholder_timeout_ms = application.execution_timeout_ms();
                          return fields.known(record.gang_style, GangStyle::unknown, GangStyle::hard,
                                              {"add", i, "gang_style"}) &&
                                 fields.structs(application.placeholder_ask(), fields.limits().amounts_max,
                                                {"add", i, "placeholder_ask"}, record.placeholder_ask) &&
                                 fields.structs(application.tags(), fields.limits().attributes_max, {"add", i, "tags"},
                                                record.tags) &&
                                 fields.ids(application.user_groups(), {"add", i, "user_groups"}, record.user_groups);
                      });
}

bool decode_ask(const fbs::Ask& ask, std::size_t i, Fields& fields, AskItem& record) {
    const Limits& limits = fields.limits();
    record.application = ask.application();
    record.group = ask.group();
    record.node = ask.node();
    record.required_node = ask.required_node();
    record.priority = ask.priority();
    record.foreign = ask.foreign();
    record.tolerates_unschedulable = ask.tolerates_unschedulable();
    record.created_s = ask.created_s();
    record.spec = ask.spec();
    record.terminating = ask.terminating();
    record.never_preempts = ask.never_preempts();
    record.nominated_node = ask.nominated_node();
    record.started_ms = ask.started_ms();
    record.node_cpu = ask.node_cpu();
    record.node_memory = ask.node_memory();
    record.own_cpu = ask.own_cpu();
    record.own_memory = ask.own_memory();
    record.qos = static_cast<QosClass>(ask.qos());
    record.grace_period_s = ask.grace_period_s();
    record.preempted = ask.preempted();
    record.daemonset = ask.daemonset();
    record.is_static = ask.foreign_static();
    record.never_victim = ask.never_victim();
    record.originator = ask.originator();
    record.group_min_available = ask.group_min_available();
    record.placeholder = ask.placeholder();
    record.group_fault = static_cast<GroupFault>(ask.group_fault());
    record.group_topology_key = ask.group_topology_key();
    record.group_topology_preferred = ask.group_topology_preferred();
    return fields.known(record.group_fault, GroupFault::none, GroupFault::no_topology_mode,
                        {"asks", i, "group_fault"}) &&
           fields.known(record.qos, QosClass::unknown, QosClass::guaranteed, {"asks", i, "qos"}) &&
           fields.name(ask.key(), {"asks", i, "key"}, record.key) &&
           fields.structs(ask.requests(), limits.amounts_max, {"asks", i, "requests"}, record.requests) &&
           fields.structs(ask.tags(), limits.attributes_max, {"asks", i, "tags"}, record.tags) &&
           fields.name(ask.devices(), {"asks", i, "devices"}, record.devices);
}

bool decode(const fbs::Asks& asks, Fields& fields, Storage& storage, AsksMessage& out) {
    return read_items(
        asks.asks(), "asks", fields, storage.asks, out.asks,
        [&](const fbs::Ask& ask, std::size_t i, AskItem& record) { return decode_ask(ask, i, fields, record); });
}

bool decode(const fbs::Releases& releases, Fields& fields, Storage& storage, ReleasesMessage& out) {
    return read_items(releases.releases(), "releases", fields, storage.releases, out.releases,
                      [&](const fbs::Release& release, std::size_t i, ReleaseItem& record) {
                          record.application = release.application();
                          record.termination = static_cast<Termination>(release.termination());
                          return fields.known(record.termination, Termination::unknown,
                                              Termination::placeholder_replaced, {"releases", i, "termination"}) &&
                                 fields.name(release.key(), {"releases", i, "key"}, record.key) &&
                                 fields.prose(release.message(), {"releases", i, "message"}, record.message);
                      });
}

bool decode(const fbs::Nacks& nacks, Fields& fields, Storage& storage, NacksMessage& out) {
    return read_items(nacks.nacks(), "nacks", fields, storage.nacks, out.nacks,
                      [&](const fbs::Nack& nack, std::size_t i, NackItem& record) {
                          return fields.name(nack.key(), {"nacks", i, "key"}, record.key) &&
                                 fields.prose(nack.reason(), {"nacks", i, "reason"}, record.reason);
                      });
}

bool decode(const fbs::Configuration& configuration, Fields& fields, Storage&, ConfigurationMessage& out) {
    return fields.document(configuration.text(), {.field = "text"}, out.text);
}

bool decode(const fbs::Specs& specs, Fields& fields, Storage& storage, SpecsMessage& out) {
    return read_items(specs.define(), "specs", fields, storage.specs, out.define,
                      [&](const fbs::PodSpec& spec, std::size_t i, SpecItem& record) {
                          return decode_spec(spec, {"specs", i}, fields, record);
                      }) &&
           fields.ids(specs.forget(), {.field = "forget"}, out.forget);
}

bool decode(const fbs::Objects& objects, Fields& fields, Storage& storage, ObjectsMessage& out) {
    return read_items(objects.objects(), "objects", fields, storage.objects, out.objects,
                      [&](const fbs::Object& object, std::size_t i, ObjectItem& record) {
                          return decode_object(object, {"objects", i}, fields, record);
                      });
}

bool read_reasons(const fbs::PredicateAnswer& answer, const Where& where, Fields& fields, Storage& storage) {
    const auto* reasons = answer.reasons();
    for (std::size_t j = 0; j < Fields::size_of(reasons); ++j) {
        const fbs::PredicateReason& reason = *reasons->Get(static_cast<flatbuffers::uoffset_t>(j));
        PluginReason& record = storage.reasons.emplace_back();
        record.node = reason.node_index();
        if (!fields.may_hold(sizeof(PluginReason), where) || !fields.name(reason.text(), where, record.text)) {
            return false;
        }
    }
    return true;
}

bool read_verdicts(const fbs::PredicateAnswer& answer, const Where& where, Fields& fields, Storage& storage) {
    const auto* verdicts = answer.verdicts();
    for (std::size_t j = 0; j < Fields::size_of(verdicts); ++j) {
        const auto verdict = static_cast<PluginVerdict>(verdicts->Get(static_cast<flatbuffers::uoffset_t>(j)));
        if (!fields.known(verdict, PluginVerdict::unknown, PluginVerdict::unresolvable, where)) {
            return false;
        }
        storage.verdicts.push_back(verdict);
    }
    return true;
}

// The lists of all answers are kept one behind the other: their places are known when all are read.
bool decode(const fbs::PredicateAnswers& answers, Fields& fields, Storage& storage, PluginAnswersMessage& out) {
    storage.verdicts.clear();
    storage.reasons.clear();
    const auto read = [&](const fbs::PredicateAnswer& answer, std::size_t i, PluginAnswer& record) {
        record.query = answer.query();
        record.lasting = answer.lasting();
        record.first_victims = answer.first_victims();
        return fields.prose(answer.failure(), {"answers", i, "failure"}, record.failure) &&
               fields.items(answer.verdicts(), {"answers", i, "verdicts"}) &&
               fields.items(answer.reasons(), {"answers", i, "reasons"}) &&
               fields.may_hold(Fields::size_of(answer.verdicts()), {"answers", i, "verdicts"}) &&
               read_verdicts(answer, {"answers", i, "verdicts"}, fields, storage) &&
               read_reasons(answer, {"answers", i, "reasons"}, fields, storage) &&
               fields.ids(answer.victims(), {"answers", i, "victims"}, record.victims);
    };
    if (!read_items(answers.answers(), "answers", fields, storage.answers, out.answers, read)) {
        return false;
    }
    std::span<const PluginVerdict> verdicts = storage.verdicts;
    std::span<const PluginReason> reasons = storage.reasons;
    for (std::size_t i = 0; i < storage.answers.size(); ++i) {
        const fbs::PredicateAnswer& answer = *answers.answers()->Get(static_cast<flatbuffers::uoffset_t>(i));
        storage.answers[i].verdicts = verdicts.first(Fields::size_of(answer.verdicts()));
        storage.answers[i].reasons = reasons.first(Fields::size_of(answer.reasons()));
        verdicts = verdicts.subspan(storage.answers[i].verdicts.size());
        reasons = reasons.subspan(storage.answers[i].reasons.size());
    }
    return true;
}

bool decode(const fbs::ResyncBegin&, Fields&, Storage&, ResyncBeginMessage&) { return true; }
bool decode(const fbs::ResyncEnd&, Fields&, Storage&, ResyncEndMessage&) { return true; }

template <class Record, class Wire>
bool decode_body(const Wire* body, Fields& fields, Storage& storage, StateBody& out) {
    if (body == nullptr) {
        return fields.fail({.field = "state"}, "has no body");
    }
    return decode(*body, fields, storage, out.emplace<Record>());
}

}  // namespace

bool decode_state(const fbs::State& state, Fields& fields, Storage& storage, StateFrame& out) {
    out.sequence = state.sequence();
    switch (state.body_type()) {
        case fbs::StateBody::Define:
            return decode_body<DefineMessage>(state.body_as_Define(), fields, storage, out.body);
        case fbs::StateBody::Forget:
            return decode_body<ForgetMessage>(state.body_as_Forget(), fields, storage, out.body);
        case fbs::StateBody::Nodes: return decode_body<NodesMessage>(state.body_as_Nodes(), fields, storage, out.body);
        case fbs::StateBody::Applications:
            return decode_body<ApplicationsMessage>(state.body_as_Applications(), fields, storage, out.body);
        case fbs::StateBody::Asks: return decode_body<AsksMessage>(state.body_as_Asks(), fields, storage, out.body);
        case fbs::StateBody::Releases:
            return decode_body<ReleasesMessage>(state.body_as_Releases(), fields, storage, out.body);
        case fbs::StateBody::Nacks: return decode_body<NacksMessage>(state.body_as_Nacks(), fields, storage, out.body);
        case fbs::StateBody::ResyncBegin:
            return decode_body<ResyncBeginMessage>(state.body_as_ResyncBegin(), fields, storage, out.body);
        case fbs::StateBody::ResyncEnd:
            return decode_body<ResyncEndMessage>(state.body_as_ResyncEnd(), fields, storage, out.body);
        case fbs::StateBody::Configuration:
            return decode_body<ConfigurationMessage>(state.body_as_Configuration(), fields, storage, out.body);
        case fbs::StateBody::Specs: return decode_body<SpecsMessage>(state.body_as_Specs(), fields, storage, out.body);
        case fbs::StateBody::Objects:
            return decode_body<ObjectsMessage>(state.body_as_Objects(), fields, storage, out.body);
        case fbs::StateBody::PredicateAnswers:
            return decode_body<PluginAnswersMessage>(state.body_as_PredicateAnswers(), fields, storage, out.body);
        case fbs::StateBody::NONE: return fields.fail({.field = "state"}, "has no body");
    }
    return fields.fail({.field = "state"},
                       fmt::format("body of kind {} is not known", static_cast<unsigned>(state.body_type())));
}

}  // namespace bayplan::wire
