// See statement_limits.h.
#include "client/statement_limits.h"

#include <initializer_list>

#include <fmt/format.h>

#include "wire/codec.h"

namespace bayplan::client {

namespace {

constexpr wire::Limits kStatementLimits;

// Table, vtable, length words and padding of one record.
constexpr std::size_t kRecordBytes = 192;
constexpr std::size_t kPairBytes = 24;

bool fault(std::string* why, std::string_view item, std::string_view text) {
    if (why != nullptr) {
        *why = fmt::format("{}: {}", item.substr(0, 64), text);
    }
    return false;
}

bool texts_fit(std::string_view item, std::initializer_list<std::string_view> texts, std::string* why) {
    for (const std::string_view text : texts) {
        if (text.size() > kStatementLimits.string_bytes_max) {
            return fault(why, item, fmt::format("a text is longer than {} bytes", kStatementLimits.string_bytes_max));
        }
    }
    return true;
}

bool amounts_fit(std::string_view item, std::span<const NamedAmount> amounts, std::string* why) {
    if (amounts.size() > kStatementLimits.amounts_max) {
        return fault(why, item, fmt::format("more than {} amounts", kStatementLimits.amounts_max));
    }
    for (const NamedAmount& amount : amounts) {
        if (!texts_fit(item, {amount.resource}, why)) {
            return false;
        }
    }
    return true;
}

bool attributes_fit(std::string_view item, std::span<const NamedAttribute> attributes, std::string* why) {
    if (attributes.size() > kStatementLimits.attributes_max) {
        return fault(why, item, fmt::format("more than {} attributes", kStatementLimits.attributes_max));
    }
    for (const NamedAttribute& attribute : attributes) {
        if (!texts_fit(item, {attribute.key, attribute.value}, why)) {
            return false;
        }
    }
    return true;
}

bool taints_fit(std::string_view item, std::span<const NamedTaint> taints, std::string* why) {
    if (taints.size() > kStatementLimits.attributes_max) {
        return fault(why, item, fmt::format("more than {} taints", kStatementLimits.attributes_max));
    }
    for (const NamedTaint& taint : taints) {
        if (taint.effect < TaintEffect::no_schedule || taint.effect > TaintEffect::no_execute) {
            return fault(why, item, "a taint without an effect");
        }
        if (!texts_fit(item, {taint.key, taint.value}, why)) {
            return false;
        }
    }
    return true;
}

bool images_fit(std::string_view item, std::span<const NamedAmount> images, std::string* why) {
    if (images.size() > kStatementLimits.terms_max) {
        return fault(why, item, fmt::format("more than {} images", kStatementLimits.terms_max));
    }
    for (const NamedAmount& image : images) {
        if (!texts_fit(item, {image.resource}, why)) {
            return false;
        }
    }
    return true;
}

bool devices_fit(std::string_view item, std::span<const std::string_view> kinds, std::string* why) {
    if (kinds.size() > kStatementLimits.amounts_max) {
        return fault(why, item, fmt::format("more than {} kinds of devices", kStatementLimits.amounts_max));
    }
    for (const std::string_view kind : kinds) {
        if (!texts_fit(item, {kind}, why)) {
            return false;
        }
    }
    return true;
}

bool groups_fit(std::string_view item, std::span<const std::string_view> groups, std::string* why) {
    if (groups.size() > kStatementLimits.amounts_max) {
        return fault(why, item, fmt::format("more than {} groups", kStatementLimits.amounts_max));
    }
    for (const std::string_view group : groups) {
        if (!texts_fit(item, {group}, why)) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool within_limits(std::span<const NodeStatement> nodes, std::string* why) {
    for (const NodeStatement& node : nodes) {
        if (!texts_fit(node.name, {node.name}, why) || !amounts_fit(node.name, node.capacity, why) ||
            !attributes_fit(node.name, node.attributes, why) || !taints_fit(node.name, node.taints, why) ||
            !images_fit(node.name, node.images, why) || !devices_fit(node.name, node.devices, why)) {
            return false;
        }
    }
    return true;
}

bool within_limits(std::span<const ApplicationStatement> applications, std::string* why) {
    for (const ApplicationStatement& one : applications) {
        if (!texts_fit(one.name, {one.name, one.queue, one.user}, why) || !groups_fit(one.name, one.user_groups, why) ||
            !attributes_fit(one.name, one.tags, why)) {
            return false;
        }
    }
    return true;
}

bool within_limits(std::span<const PodStatement> pods, std::string* why) {
    for (const PodStatement& pod : pods) {
        if (!texts_fit(
                pod.key,
                {pod.key, pod.application, pod.group, pod.node, pod.required_node, pod.nominated_node, pod.devices},
                why) ||
            !amounts_fit(pod.key, pod.requests, why) || !attributes_fit(pod.key, pod.tags, why)) {
            return false;
        }
    }
    return true;
}

bool within_limits(std::span<const ReleaseStatement> releases, std::string* why) {
    for (const ReleaseStatement& release : releases) {
        if (!texts_fit(release.key, {release.key, release.application, release.message}, why)) {
            return false;
        }
    }
    return true;
}

bool within_limits(std::span<const NackItem> nacks, std::string* why) {
    for (const NackItem& nack : nacks) {
        if (!texts_fit(nack.key, {nack.key, nack.reason}, why)) {
            return false;
        }
    }
    return true;
}

bool within_limits(std::span<const PluginAnswer> answers, std::string* why) {
    for (const PluginAnswer& answer : answers) {
        const std::string name = "query " + std::to_string(answer.query);
        if (!texts_fit(name, {answer.failure}, why)) {
            return false;
        }
        for (const PluginReason& reason : answer.reasons) {
            if (!texts_fit(name, {reason.text}, why)) {
                return false;
            }
        }
    }
    return true;
}

bool within_limits(std::span<const std::string_view> texts, std::string* why) {
    for (const std::string_view text : texts) {
        if (!texts_fit(text, {text}, why)) {
            return false;
        }
    }
    return true;
}

std::size_t frame_bytes(const NodeStatement& node) {
    return kRecordBytes + kPairBytes * (node.capacity.size() + node.attributes.size() + node.taints.size() +
                                        node.images.size() + node.devices.size());
}

std::size_t frame_bytes(const ApplicationStatement& application) {
    return kRecordBytes + sizeof(DictId) * application.user_groups.size() + kPairBytes * application.tags.size();
}

std::size_t frame_bytes(const PodStatement& pod) {
    return kRecordBytes + pod.key.size() + pod.devices.size() + kPairBytes * (pod.requests.size() + pod.tags.size());
}

std::size_t frame_bytes(const ReleaseStatement& release) {
    return kRecordBytes + release.key.size() + release.message.size();
}

std::size_t frame_bytes(const PluginAnswer& answer) {
    std::size_t bytes = kRecordBytes + answer.failure.size() + answer.verdicts.size() +
                        sizeof(std::uint32_t) * (answer.victims.size() + 1);
    for (const PluginReason& reason : answer.reasons) {
        bytes += kPairBytes + 2 * sizeof(std::uint64_t) + reason.text.size();
    }
    return bytes;
}

std::size_t frame_bytes(const NackItem& nack) { return kRecordBytes + nack.key.size() + nack.reason.size(); }

}  // namespace bayplan::client
