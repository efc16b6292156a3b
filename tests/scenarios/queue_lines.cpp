// See queue_lines.h.
#include "queue_lines.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>

namespace bayplan::scenarios {

namespace {

constexpr const char* kShimOfLines = "s";

std::string word(const Said& said, const std::string& name) {
    const auto found = said.find(name);
    return found == said.end() ? "" : found->second;
}

std::string different(const std::string& what, const std::string& found, const std::string& expected) {
    return found == expected ? "" : what + " is " + found + " and not " + expected;
}

// One kind: its amount; several: as a file has them.
std::string amounts_text(const QueueReport::Amounts& all) {
    std::string text;
    for (const auto& [kind, value] : all) {
        text += (text.empty() ? "" : ",") + kind + ":" + std::to_string(value);
    }
    return text.empty() ? "none" : text;
}

}  // namespace

oracle::OwnedApplication application_said(const std::string& name, const Said& said, const IdOf& id) {
    oracle::OwnedApplication out;
    out.application = id(name);
    out.queue = word(said, "queue").empty() ? 0 : id(word(said, "queue"));
    const std::string user = word(said, "user").empty() ? "user" : word(said, "user");
    out.user = said.contains("nobody-said") ? 0 : id(user);
    std::istringstream groups(word(said, "groups"));
    for (std::string group; std::getline(groups, group, ',');) {
        out.user_groups.push_back(id(group));
    }
    for (const auto& [key, value] : said) {
        if (key.starts_with("tag:")) {
            out.tags.push_back({id(key.substr(4)), id(value)});
        }
    }
    return out;
}

std::string application_differs(const oracle::Oracle& oracle, const std::string& name, const std::string& expected) {
    const auto& all = oracle.queues().applications;
    const auto found = all.find({kShimOfLines, name});
    return different(name, found == all.end() ? oracle.decisions(kShimOfLines).back().text : found->second.leaf,
                     expected);
}

std::string state_differs(const oracle::Oracle& oracle, const std::string& name, const std::string& expected) {
    static const std::array<std::string, 8> names = {"created",   "accepted", "running", "completing",
                                                     "completed", "resuming", "failing", "failed"};
    const auto state = static_cast<std::size_t>(oracle.queues().applications.at({kShimOfLines, name}).state);
    return different(name, names.at(state), expected);
}

std::string queue_differs(property::Lockstep& lockstep, const std::string& path, const Said& said) {
    const std::vector<QueueReport> reports = lockstep.engine().queues();
    const auto report =
        std::find_if(reports.begin(), reports.end(), [&](const QueueReport& one) { return one.path == path; });
    if (said.contains("gone") || report == reports.end()) {
        return different(path, report == reports.end() ? "gone" : "there", said.contains("gone") ? "gone" : "there");
    }
    const std::map<std::string, std::string> seen = {
        {"used", amounts_text(report->used)},         {"pending", amounts_text(report->pending)},
        {"max", amounts_text(report->max)},           {"guaranteed", amounts_text(report->guaranteed)},
        {"running", std::to_string(report->running)}, {"applications", std::to_string(report->applications)},
        {"drains", report->draining ? "yes" : "no"}};
    for (const auto& [name, expected] : said) {
        if (!seen.contains(name)) {
            throw std::invalid_argument("no such thing of a queue: " + name);
        }
        if (std::string difference = different(name + " of " + path, seen.at(name), expected); !difference.empty()) {
            return difference;
        }
    }
    return "";
}

std::string wait_differs(property::Lockstep& lockstep, const std::string& key, const std::string& expected) {
    std::string why;
    lockstep.engine().ask_state(kShimOfLines, key, &why);
    return why.find(expected) != std::string::npos ? "" : key + " waits otherwise: " + why;
}

}  // namespace bayplan::scenarios
