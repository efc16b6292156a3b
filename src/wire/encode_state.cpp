// State messages, record by record: children first, as flatbuffers wants it.
//
// Thread and owner: those of the Encoder. Fields that are 0 or empty are left out.
#include "wire/encode_state.h"

#include "shim_generated.h"
#include "wire/encode_object.h"
#include "wire/encode_spec.h"

namespace bayplan::wire {
namespace {

using flatbuffers::FlatBufferBuilder;

auto put_amounts(FlatBufferBuilder& out, std::span<const Amount> amounts) {
    return put_structs<fbs::Amount>(out, amounts, [](const Amount& a) { return fbs::Amount(a.resource, a.value); });
}

auto put_attributes(FlatBufferBuilder& out, std::span<const Attribute> attributes) {
    return put_structs<fbs::Attribute>(out, attributes,
                                       [](const Attribute& a) { return fbs::Attribute(a.key, a.value); });
}

auto put(FlatBufferBuilder& out, const DictEntry& entry) {
    const auto text = put_text(out, entry.text);
    return fbs::CreateDictionaryEntry(out, entry.id, text);
}

auto put(FlatBufferBuilder& out, const NodeItem& node) {
    const auto capacity = put_amounts(out, node.capacity);
    const auto attributes = put_attributes(out, node.attributes);
    const auto taints = put_structs<fbs::Taint>(out, node.taints, [](const Taint& taint) {
        return fbs::Taint(taint.key, taint.value, static_cast<fbs::TaintEffect>(taint.effect));
    });
    const auto images = put_amounts(out, node.images);
    const auto devices = put_ids(out, node.devices);
    return fbs::CreateNode(out, node.node, static_cast<fbs::NodeAction>(node.action), capacity, attributes, taints,
                           images, devices);
}

auto put(FlatBufferBuilder& out, const ApplicationItem& application) {
    const auto user_groups = put_ids(out, application.user_groups);
    const auto tags = put_attributes(out, application.tags);
    const auto placeholder_ask = put_amounts(out, application.placeholder_ask);
    return fbs::CreateApplication(out, application.application, application.queue, application.user, user_groups, tags,
                                  application.placeholder_timeout_ms, placeholder_ask,
                                  static_cast<fbs::GangStyle>(application.gang_style));
}

auto put(FlatBufferBuilder& out, const AskItem& ask) {
    const auto key = put_text(out, ask.key);
    const auto requests = put_amounts(out, ask.requests);
    const auto tags = put_attributes(out, ask.tags);
    const auto devices = put_text(out, ask.devices);
    return fbs::CreateAsk(out, key, ask.application, ask.group, ask.node, ask.required_node, ask.priority, ask.foreign,
                          ask.tolerates_unschedulable, ask.created_s, requests, tags, ask.spec, ask.terminating,
                          ask.never_preempts, ask.nominated_node, ask.started_ms, ask.node_cpu, ask.node_memory,
                          ask.own_cpu, ask.own_memory, ask.group_min_available, ask.placeholder, ask.originator,
                          ask.never_victim, ask.is_static, static_cast<fbs::QosClass>(ask.qos), ask.grace_period_s, 0,
                          ask.preempted, devices, ask.daemonset, static_cast<fbs::GroupFault>(ask.group_fault),
                          ask.group_topology_key, ask.group_topology_preferred);
}

auto put(FlatBufferBuilder& out, const ReleaseItem& release) {
    const auto key = put_text(out, release.key);
    const auto message = put_text(out, release.message);
    return fbs::CreateRelease(out, key, release.application, static_cast<fbs::Termination>(release.termination),
                              message);
}

auto put(FlatBufferBuilder& out, const NackItem& nack) {
    const auto key = put_text(out, nack.key);
    const auto reason = put_text(out, nack.reason);
    return fbs::CreateNack(out, key, reason);
}

auto put_answer(FlatBufferBuilder& out, Tables& tables, const PluginAnswer& answer) {
    flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> verdicts;
    if (!answer.verdicts.empty()) {
        verdicts =
            out.CreateVector(reinterpret_cast<const std::uint8_t*>(answer.verdicts.data()), answer.verdicts.size());
    }
    const auto reasons = put_list<fbs::PredicateReason>(out, tables, answer.reasons, [&](const PluginReason& reason) {
        const auto text = put_text(out, reason.text);
        return fbs::CreatePredicateReason(out, reason.node, 0, text);
    });
    const auto failure = put_text(out, answer.failure);
    flatbuffers::Offset<flatbuffers::Vector<std::uint32_t>> victims;
    if (!answer.victims.empty()) {
        victims = out.CreateVector(answer.victims.data(), answer.victims.size());
    }
    return fbs::CreatePredicateAnswer(out, answer.query, {verdicts.o}, reasons, failure, answer.lasting,
                                      answer.first_victims, victims);
}

template <class Wire, class Record>
auto put_items(FlatBufferBuilder& out, Tables& tables, std::span<const Record> records) {
    return put_list<Wire>(out, tables, records, [&](const Record& record) { return put(out, record); });
}

// Writes one body and says its kind; an object so that std::visit can reach the buffers.
struct BodyWriter {
    struct Body {
        fbs::StateBody kind;
        flatbuffers::Offset<void> place;
    };

    FlatBufferBuilder& out;
    Tables& tables;

    Body operator()(const DefineMessage& define) {
        const auto entries = put_items<fbs::DictionaryEntry>(out, tables, define.entries);
        return {fbs::StateBody::Define, fbs::CreateDefine(out, entries).Union()};
    }
    Body operator()(const ForgetMessage& forget) {
        const auto ids = put_ids(out, forget.ids);
        return {fbs::StateBody::Forget, fbs::CreateForget(out, ids).Union()};
    }
    Body operator()(const NodesMessage& message) {
        const auto nodes = put_items<fbs::Node>(out, tables, message.nodes);
        return {fbs::StateBody::Nodes, fbs::CreateNodes(out, nodes).Union()};
    }
    Body operator()(const ApplicationsMessage& message) {
        const auto add = put_items<fbs::Application>(out, tables, message.add);
        const auto remove = put_ids(out, message.remove);
        return {fbs::StateBody::Applications, fbs::CreateApplications(out, add, remove).Union()};
    }
    Body operator()(const AsksMessage& message) {
        const auto asks = put_items<fbs::Ask>(out, tables, message.asks);
        return {fbs::StateBody::Asks, fbs::CreateAsks(out, asks).Union()};
    }
    Body operator()(const ReleasesMessage& message) {
        const auto releases = put_items<fbs::Release>(out, tables, message.releases);
        return {fbs::StateBody::Releases, fbs::CreateReleases(out, releases).Union()};
    }
    Body operator()(const NacksMessage& message) {
        const auto nacks = put_items<fbs::Nack>(out, tables, message.nacks);
        return {fbs::StateBody::Nacks, fbs::CreateNacks(out, nacks).Union()};
    }
    Body operator()(const ResyncBeginMessage&) {
        return {fbs::StateBody::ResyncBegin, fbs::CreateResyncBegin(out).Union()};
    }
    Body operator()(const ResyncEndMessage&) { return {fbs::StateBody::ResyncEnd, fbs::CreateResyncEnd(out).Union()}; }
    Body operator()(const ConfigurationMessage& configuration) {
        const auto text = put_text(out, configuration.text);
        return {fbs::StateBody::Configuration, fbs::CreateConfiguration(out, text).Union()};
    }
    Body operator()(const SpecsMessage& message) {
        const auto define = put_list<fbs::PodSpec>(
            out, tables, message.define, [&](const SpecItem& record) { return put_spec(out, tables, record); });
        const auto forget = put_ids(out, message.forget);
        return {fbs::StateBody::Specs, fbs::CreateSpecs(out, define, forget).Union()};
    }
    Body operator()(const PluginAnswersMessage& message) {
        const auto answers = put_list<fbs::PredicateAnswer>(
            out, tables, message.answers, [&](const PluginAnswer& answer) { return put_answer(out, tables, answer); });
        return {fbs::StateBody::PredicateAnswers, fbs::CreatePredicateAnswers(out, answers).Union()};
    }
    Body operator()(const ObjectsMessage& message) {
        const auto objects = put_list<fbs::Object>(
            out, tables, message.objects, [&](const ObjectItem& record) { return put_object(out, tables, record); });
        return {fbs::StateBody::Objects, fbs::CreateObjects(out, objects).Union()};
    }
};

}  // namespace

flatbuffers::Offset<fbs::State> put_state(FlatBufferBuilder& out, Tables& tables, const StateFrame& state) {
    tables.clear();
    const BodyWriter::Body body = std::visit(BodyWriter{out, tables}, state.body);
    return fbs::CreateState(out, state.sequence, body.kind, body.place);
}

}  // namespace bayplan::wire
