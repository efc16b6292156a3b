// See byte_counts.h. The numbers are from rules/limits.md. Thread: the engine's.
#include "engine/byte_counts.h"

#include "base/check.h"
#include "base/visit_texts.h"
#include "engine/statement_limits.h"

namespace bayplan {

namespace {

constexpr std::uint64_t kThingBytes = 256;  // a spec, an object, an application
constexpr std::uint64_t kNodeBytes = 512;
constexpr std::uint64_t kAskBytes = 128;
constexpr std::uint64_t kAmountBytes = 16;  // and of a tag

std::uint64_t entry(std::string_view text) { return kEntryBytes + text.size(); }

template <typename Record>
std::uint64_t texts_of(const Record& record, const TextTable& texts) {
    std::uint64_t bytes = 0;
    visit_texts(record, [&](Text text) { bytes += texts.text(text).size(); });
    return bytes;
}

}  // namespace

std::uint64_t spec_bytes(const PodSpec& spec, const TextTable& texts) {
    return kThingBytes + kEntryBytes * entries_of(spec) + texts_of(spec, texts);
}

std::uint64_t object_bytes(const ClusterObject& object, const TextTable& texts) {
    return kThingBytes + kEntryBytes * entries_of(object) + texts_of(object, texts);
}

std::uint64_t node_bytes(std::string_view name, const NodeFacts& facts, std::span<const ResourceAmount> capacity,
                         const World& world) {
    std::uint64_t bytes = kNodeBytes + name.size();
    for (const Label& label : facts.labels) {
        bytes += entry(world.texts.text(label.key)) + world.texts.text(label.value).size();
    }
    for (const Taint& taint : facts.taints) {
        bytes += entry(world.texts.text(taint.key)) + world.texts.text(taint.value).size();
    }
    for (const NodeImage& image : facts.images) {
        bytes += entry(world.texts.text(image.name));
    }
    for (const ResourceAmount& amount : capacity) {
        bytes += entry(world.resources.text(amount.resource));
    }
    return bytes;
}

std::uint64_t application_bytes(std::string_view name, std::span<const std::string> groups) {
    std::uint64_t bytes = kThingBytes + name.size();
    for (const std::string& group : groups) {
        bytes += entry(group);
    }
    return bytes;
}

std::uint64_t ask_bytes(std::string_view key, std::string_view group) {
    return kAskBytes + key.size() + (group.empty() ? 0 : entry(group));
}

std::uint64_t tag_bytes(std::string_view key, std::string_view value) {
    return kAmountBytes + key.size() + value.size();
}

std::uint64_t tag_bytes(AskId id, const World& world) {
    std::uint64_t bytes = 0;
    world.asks.tags().for_each(id,
                               [&](std::string_view key, std::string_view value) { bytes += tag_bytes(key, value); });
    return bytes;
}

std::uint64_t class_bytes(std::span<const ResourceAmount> requests, std::string_view required_node,
                          const World& world) {
    std::uint64_t bytes = required_node.empty() ? 0 : entry(required_node);
    for (const ResourceAmount& request : requests) {
        bytes += kAmountBytes + world.resources.text(request.resource).size();
    }
    return bytes;
}

std::uint64_t class_bytes(const AskClass& ask_class, const World& world) {
    return class_bytes(
        ask_class.requests,
        ask_class.required_node == kNone<NameId> ? std::string_view() : world.names.text(ask_class.required_node),
        world);
}

std::string_view group_text(AskId id, const World& world) {
    const Ask& ask = world.asks[id];
    if (ask.group == kNoGroup || ask.group == kFaultyGroup) {
        return {};
    }
    const Application& application = world.applications[ask.application];
    if (is_plain_group(ask.group)) {
        return application.groups[ask.group].name;
    }
    // After APPLICATION/.
    return std::string_view(world.gangs[world.gangs.member(id).gang].name).substr(application.name.size() + 1);
}

std::uint64_t ask_bytes(AskId id, const World& world) {
    return ask_bytes(world.asks.key(id), group_text(id, world)) + tag_bytes(id, world) +
           class_bytes(*world.classes[world.asks[id].ask_class].spec, world);
}

void use_spec(World& world, ShimId id, SpecId spec) {
    if (spec == kEmptySpec) {
        return;
    }
    Shim& shim = world.shims[id];
    SpecUse& use = shim.spec_uses[spec];
    if (use.times++ == 0) {
        use.bytes = spec_bytes(world.specs[spec], world.texts);
        world.bytes.add(shim.bytes, use.bytes);
        shim.topology_keys.add(world.specs[spec]);
        const PodCounts& counts = world.topology.counts();
        for (const TermId term : counts.terms_of(spec)) {
            shim.terms.add(raw(term), counts.term(term).key.match);
        }
    }
}

void use_no_more(World& world, ShimId id, SpecId spec) {
    if (spec == kEmptySpec) {
        return;
    }
    Shim& shim = world.shims[id];
    const auto found = shim.spec_uses.find(spec);
    BP_CHECK(found != shim.spec_uses.end() && found->second.times > 0);
    if (--found->second.times == 0) {
        world.bytes.give_back(shim.bytes, found->second.bytes);
        shim.topology_keys.remove(world.specs[spec]);
        const PodCounts& counts = world.topology.counts();
        for (const TermId term : counts.terms_of(spec)) {
            shim.terms.remove(raw(term), counts.term(term).key.match);
        }
        shim.spec_uses.erase(found);
    }
}

}  // namespace bayplan
