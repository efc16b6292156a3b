// The part of Inputs about applications.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/byte_counts.h"
#include "engine/inputs.h"
#include "engine/statement_limits.h"

namespace bayplan {

namespace {

std::int64_t timeout_of(const ApplicationItem& record) {
    constexpr std::int64_t kNsPerMs = 1'000'000;
    return std::clamp<std::int64_t>(record.placeholder_timeout_ms, 0, INT64_MAX / kNsPerMs) * kNsPerMs;
}

}  // namespace

std::string Inputs::read_groups(Shim& shim, std::span<const DictId> ids, std::vector<std::string>& groups) {
    if (!world_.options.user_groups) {
        return {};
    }
    if (ids.size() > kUserGroupsMax) {
        return "a list of more than " + std::to_string(kUserGroupsMax) + " entries";
    }
    for (const DictId id : ids) {
        groups.emplace_back(text_of(shim, id));
        if (groups.back().empty()) {
            return "unknown group " + numbered(id);
        }
    }
    return {};
}

std::string Inputs::read_placeholder_ask(Shim& shim, const ApplicationItem& record,
                                         queue_config::Resources& placeholder_ask) {
    if (world_.tree == nullptr) {
        return {};
    }
    if (record.placeholder_ask.size() > kPlaceholderAmountsMax) {
        return "a list of more than " + std::to_string(kPlaceholderAmountsMax) + " entries";
    }
    std::string fault = read_amounts(shim, record.placeholder_ask, false);
    for (const ResourceAmount& amount : amounts_) {
        const std::string_view name = amount.resource == kCpu ? "vcore" : world_.resources.text(amount.resource);
        placeholder_ask[std::string(name)] += amount.value;
    }
    return fault;
}

std::string Inputs::read_application_tags(Shim& shim, std::span<const Attribute> stated, queue_tree::Tags& tags) {
    if (world_.tree == nullptr || !world_.options.application_tags) {
        return {};
    }
    if (stated.size() > kTagsMax) {
        return "a list of more than " + std::to_string(kTagsMax) + " entries";
    }
    for (const Attribute& tag : stated) {
        const std::string_view key = text_of(shim, tag.key);
        const std::string_view value = tag.value == 0 ? std::string_view() : text_of(shim, tag.value);
        if (key.empty() || (tag.value != 0 && value.empty())) {
            return "unknown dictionary id";
        }
        tags[std::string(key)] = value;
    }
    return {};
}

// For operators. An application of that name that is there already is not rejected.
void Inputs::tell_rejected(ShimId id, const ApplicationItem& record, std::string_view why) const {
    Publication* const publication = lifecycle_.publication();
    Shim& shim = world_.shims[id];
    const std::string_view name = text_of(shim, record.application);
    if (publication == nullptr || name.empty() || shim.applications.contains(name)) {
        return;
    }
    queue_tree::User user{std::string(text_of(shim, record.user)), {}};
    for (const DictId group : record.user_groups.first(std::min(record.user_groups.size(), kUserGroupsMax))) {
        user.groups.emplace_back(text_of(shim, group));
    }
    publication->application_rejected(id, name, user, why);
}

void Inputs::add_application(ShimId id, const ApplicationItem& record) {
    Shim& shim = world_.shims[id];
    const std::string_view name = text_of(shim, record.application);
    std::vector<std::string> groups;
    queue_config::Resources placeholder_ask;
    queue_tree::Tags tags;
    std::string fault;
    if (name.empty()) {
        fault = "unknown dictionary id";
    } else if (shim.applications.contains(name)) {
        fault = "application exists already";
    } else if (shim.applications.size() >= world_.options.applications_max) {
        fault = "more than " + std::to_string(world_.options.applications_max) + " applications";
    } else if (record.queue != 0 && text_of(shim, record.queue).empty()) {
        fault = "unknown queue " + numbered(record.queue);
    } else {
        fault = read_groups(shim, record.user_groups, groups);
        fault = fault.empty() ? read_placeholder_ask(shim, record, placeholder_ask) : fault;
        fault = fault.empty() ? read_application_tags(shim, record.tags, tags) : fault;
    }
    const std::uint64_t bytes = application_bytes(name, groups) +
                                (placeholder_ask.empty() || !fault.empty() ? 0 : class_bytes(amounts_, {}, world_));
    if (fault.empty()) {
        fault = bytes_fault(shim, bytes);
    }
    queue_tree::Placed placed;
    if (fault.empty() && world_.tree != nullptr) {
        queue_tree::Submission submission;
        submission.id = name;
        submission.queue = text_of(shim, record.queue);
        submission.user = queue_tree::User{std::string(text_of(shim, record.user)), std::move(groups)};
        const bool kept_from_force =
            world_.options.forced_by_right && !shim.rights.force && queue_tree::says_forced(tags);
        submission.may_force = !kept_from_force;
        submission.tags = std::move(tags);
        submission.placeholder_ask = placeholder_ask;
        submission.maker = raw(id);
        fault = find_queue(std::move(submission), placed);
        if (!fault.empty() && kept_from_force) {
            fault += "; its shim may not force it";  // R-TRUST-11
        }
    }
    if (!fault.empty()) {
        lifecycle_.decide(id, DecisionKind::application_rejected,
                          name.empty() ? numbered(record.application) : std::string(name), fault);
        const bool by_placement = placed.refusal != queue_tree::Refusal::none;
        tell_rejected(id, record,
                      by_placement
                          ? fmt::format("failed to place application {}: application rejected: {}", name, fault)
                          : fault);
        return;
    }
    const ApplicationId application = world_.applications.add(id, name);
    shim.applications.emplace(name, application);
    world_.applications[application].bytes = bytes;
    world_.bytes.add(shim.bytes, bytes);
    if (world_.tree != nullptr) {
        world_.tree->place_application(application, placed.queue, std::move(placed.user));
        if (!placeholder_ask.empty()) {
            world_.tree->want_placeholders(application, placeholder_ask);
            lifecycle_.placeholders().application_comes(application, record.gang_style, timeout_of(record));
        }
    }
    world_.order->add_application(application, id);
    lifecycle_.lives().application_comes(application);
    if (Publication* const publication = lifecycle_.publication()) {
        publication->application_comes(application);
    }
    lifecycle_.decide(id, DecisionKind::application_accepted, name, {});
}

void Inputs::remove_with_asks(ShimId id, ApplicationId application) {
    while (!world_.applications[application].asks.empty()) {
        release(world_.applications[application].asks.front());
    }
    lifecycle_.lives().application_goes(application);
    lifecycle_.placeholders().application_goes(application);
    if (Publication* const publication = lifecycle_.publication()) {
        publication->application_goes(application);
    }
    world_.order->remove_application(application);
    Shim& shim = world_.shims[id];
    world_.bytes.give_back(shim.bytes, world_.applications[application].bytes);
    shim.applications.erase(world_.applications[application].name);
    world_.applications.remove(application);
}

void Inputs::remove_application(ShimId id, DictId entry) {
    const std::string name(text_of(world_.shims[id], entry));
    const ApplicationId application = application_of(world_.shims[id], entry);
    if (application == kNone<ApplicationId>) {
        lifecycle_.decide(id, DecisionKind::application_rejected, name.empty() ? numbered(entry) : name,
                          name.empty() ? "unknown dictionary id" : "no such application");
        return;
    }
    remove_with_asks(id, application);
}

void Inputs::apply(ShimId id, const ApplicationsMessage& message) {
    for (const ApplicationItem& record : message.add) {
        add_application(id, record);
    }
    for (const DictId entry : message.remove) {
        remove_application(id, entry);
    }
    // Once for all of them: to look at guarantees costs as many steps as there are queues.
    if (std::exchange(guarantee_changed_, false)) {
        wake_for_guarantees();
    }
}

}  // namespace bayplan
