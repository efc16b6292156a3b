// See group_text.h.
#include "sim/group_text.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sim/virtual_time.h"
#include "terminal/text.h"

namespace bayplan::sim {

namespace {

constexpr std::size_t kPodsShown = 8;

std::string in_domain(const GroupExplanation& group) {
    if (group.topology.empty()) {
        return "";
    }
    return group.domain.empty() ? fmt::format("; no node has its topology {}", group.topology)
                                : fmt::format(", first in {} of its topology {}", group.domain, group.topology);
}

// In the form of a timeline's instants.
std::string deadline_text(const GroupExplanation& group) { return seconds_text(instant_of(group.deadline_ns)); }

// Whether the group would be placed, and if not, the reason.
std::string group_outcome(const GroupExplanation& group) {
    if (group.counted < group.minimum) {
        return fmt::format("no quorum: {} of its minimum {} count, {} missing", group.counted, group.minimum,
                           group.minimum - group.counted);
    }
    const std::uint32_t all = group.assigned + group.found;
    return fmt::format("{} of its minimum {} {} nodes: {} have, {} would find one{}{}{}", all, group.minimum,
                       all < group.minimum ? "would have" : "get", group.assigned, group.found, in_domain(group),
                       all < group.minimum ? "; so nobody is placed" : "",
                       group.reserved ? "; nodes are reserved for it" : "");
}

void group_line(std::FILE* out, std::string_view lead, const std::vector<std::string>& names, std::size_t columns) {
    const std::size_t shown = std::min(names.size(), kPodsShown);
    const std::string text =
        fmt::format("{}: {}{}", lead, fmt::join(names.begin(), names.begin() + static_cast<long>(shown), ", "),
                    names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "");
    fmt::print(out, "      {}\n", terminal::wrapped(text, columns, 6));
}

// Members that stand so, the eldest first.
void write_names(Markup& out, const char* name, const GroupExplanation& group, MemberStands stands) {
    out.begin_list(name);
    for (const GroupMember& member : group.members) {
        if (member.stands == stands) {
            out.text({}, member.pod);
        }
    }
    out.end();
}

void write_members(Markup& out, const GroupExplanation& group) {
    out.begin_list("members");
    for (const GroupMember& member : group.members) {
        out.begin_object();
        out.text("pod", member.pod);
        out.text("state", member.state);
        out.text(member.node.empty() ? "message" : "node", member.node.empty() ? member.why : member.node);
        out.end();
    }
    out.end();
}

void write_nominations(Markup& out, const GroupExplanation& group) {
    if (group.nominations.empty()) {
        return;
    }
    out.begin_list("nominations");
    for (const GroupNomination& one : group.nominations) {
        out.begin_object();
        out.text("pod", one.pod);
        out.text("node", one.node);
        out.begin_list("victims");
        for (const std::string& victim : one.victims) {
            out.text({}, victim);
        }
        out.end();
        if (!one.guarantor.empty()) out.text("guarantor", one.guarantor);
        out.end();
    }
    out.end();
}

}  // namespace

void print_group(std::FILE* out, const GroupExplanation& group, std::size_t columns, bool waits) {
    std::vector<std::string> there;
    std::vector<std::string> found;
    std::vector<std::pair<std::string_view, std::vector<std::string>>> without;  // by reason, the first one first
    for (const GroupMember& member : group.members) {
        if (member.node.empty()) {
            auto at =
                std::ranges::find(without, std::string_view(member.why), [](const auto& one) { return one.first; });
            if (at == without.end()) {
                at = without.insert(at, {member.why, {}});
            }
            at->second.push_back(member.pod);
        } else {
            (member.stands == MemberStands::found ? found : there).push_back(member.pod + " on " + member.node);
        }
    }
    const std::string outcome = fmt::format("pod group {}: {}", group.name, group_outcome(group));
    fmt::print(out, "  {}\n", terminal::wrapped(outcome, columns, 2));
    if (!there.empty()) group_line(out, "there", there, columns);
    waits = waits || std::ranges::count(group.members, MemberStands::holds, &GroupMember::stands) > 0;
    if (waits) fmt::print(out, "      nodes are held until {}\n", deadline_text(group));
    if (!found.empty()) group_line(out, "would be placed", found, columns);
    for (const auto& [why, pods] : without) group_line(out, why, pods, columns);
    if (group.unlisted > 0) fmt::print(out, "      and {} younger members\n", group.unlisted);
    std::vector<std::string> nominations;
    for (const GroupNomination& one : group.nominations) {
        nominations.push_back(
            one.pod + " on " + one.node +
            (one.victims.empty() ? "" : fmt::format(" instead of {}", fmt::join(one.victims, " and "))));
    }
    if (!nominations.empty()) group_line(out, "would be nominated", nominations, columns);
    if (!group.guarantee.empty()) group_line(out, "guarantee", {group.guarantee}, columns);
}

void write_group(Markup& out, const GroupExplanation& group, bool members, bool waits) {
    out.begin_object("podGroup");
    out.text("name", group.name);
    out.number("minAvailable", group.minimum);
    out.number("priority", group.priority);
    out.number("counted", group.counted);
    out.number("assigned", group.assigned);
    out.number("waiting", std::ranges::count(group.members, MemberStands::holds, &GroupMember::stands));
    out.number("pending", std::int64_t{group.counted} - group.assigned);
    write_names(out, "gated", group, MemberStands::gated);
    write_names(out, "refused", group, MemberStands::refused);
    out.number("missing", std::max<std::int64_t>(0, std::int64_t{group.minimum} - group.counted));
    out.number("found", group.found);
    write_names(out, "failed", group, MemberStands::failed);
    if (waits) out.text("deadline", deadline_text(group));
    if (!group.topology.empty()) {
        out.text("topology", group.topology);
        out.text("domain", group.domain);
    }
    if (members) {
        write_members(out, group);
    }
    write_nominations(out, group);
    if (!group.guarantee.empty()) out.text("guarantee", group.guarantee);
    if (group.reserved) out.flag("reserved", true);
    if (group.unlisted > 0) out.number("unlisted", static_cast<std::int64_t>(group.unlisted));
    out.end();
}

}  // namespace bayplan::sim
