// See plugin_lines.h.
#include "cli/plugin_lines.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "kube/trimmed_json.h"

namespace bayplan::cli {

namespace json = boost::json;

namespace {

using sim::PluginFault;

constexpr std::size_t kShownMax = 200;
constexpr std::array<std::string_view, 8> kMembers{"query",   "feasible", "unschedulable", "unresolvable",
                                                   "lasting", "error",    "first",         "victims"};

std::string shown(std::string_view line) {
    return fmt::format("`{}`{}", line.substr(0, kShownMax), line.size() > kShownMax ? "..." : "");
}

json::object object_in(std::string_view line) {
    boost::system::error_code broken;
    json::value value = json::parse(line, broken);
    if (broken) {
        throw PluginFault(fmt::format("no JSON ({}): {}", broken.message(), shown(line)));
    }
    if (!value.is_object()) {
        throw PluginFault("no JSON object: " + shown(line));
    }
    return std::move(value.as_object());
}

void only_known_members(const json::object& object) {
    for (const json::key_value_pair& member : object) {
        if (std::ranges::find(kMembers, std::string_view(member.key())) == kMembers.end()) {
            throw PluginFault(fmt::format("an answer has no `{}`", std::string_view(member.key())));
        }
    }
}

std::string_view view_of(const json::value& value, std::string_view name) {
    if (!value.is_string()) {
        throw PluginFault(fmt::format("`{}` must have texts", name));
    }
    return value.as_string();
}

class ReplyReader {
public:
    ReplyReader(const sim::PluginQuestion& question, sim::PluginReply& reply) : question_(question), reply_(reply) {
        reply_.verdicts.assign(question.nodes.size(), PluginVerdict::unknown);
        reply_.reasons.resize(question.nodes.size());
        for (std::size_t at = 0; at < question.nodes.size(); ++at) {
            places_.emplace(question.nodes[at], at);
        }
    }

    void read(const json::object& answer) {
        if (const json::value* const lasting = answer.if_contains("lasting")) {
            if (!lasting->is_bool()) {
                throw PluginFault("`lasting` must be true or false");
            }
            reply_.lasting = lasting->as_bool();
        }
        read_feasible(answer);
        read_victims(answer);
        read_refused(answer, "unschedulable", PluginVerdict::unschedulable);
        read_refused(answer, "unresolvable", PluginVerdict::unresolvable);
        const auto missing = std::ranges::find(reply_.verdicts, PluginVerdict::unknown);
        if (missing != reply_.verdicts.end()) {
            const auto at = static_cast<std::size_t>(missing - reply_.verdicts.begin());
            throw PluginFault(fmt::format("says nothing of node {}", question_.nodes[at]));
        }
    }

private:
    void read_feasible(const json::object& answer) {
        const json::value* const nodes = answer.if_contains("feasible");
        if (nodes == nullptr) {
            return;
        }
        if (!nodes->is_array()) {
            throw PluginFault("`feasible` must be a list of nodes");
        }
        for (const json::value& node : nodes->as_array()) {
            put(view_of(node, "feasible"), PluginVerdict::feasible, {});
        }
    }

    // Either is a yes.
    void read_victims(const json::object& answer) {
        const json::value* const first = answer.if_contains("first");
        const json::value* const victims = answer.if_contains("victims");
        if (first == nullptr && victims == nullptr) {
            return;
        }
        if (question_.victims.empty()) {
            throw PluginFault("`first` and `victims` are for questions that have victims");
        }
        if (victims != nullptr && !victims->is_array()) {
            throw PluginFault("`victims` must be a list of pods");
        }
        if (first != nullptr) {
            boost::system::error_code broken;
            reply_.first_victims = first->to_number<std::uint32_t>(broken);
            if (broken) {
                throw PluginFault("`first` must be a number of victims");
            }
        }
        for (const json::value& victim : victims == nullptr ? json::array() : victims->as_array()) {
            const std::string_view name = view_of(victim, "victims");
            const auto found = std::ranges::find(question_.victims, name);
            if (found == question_.victims.end()) {
                throw PluginFault(fmt::format("pod {} is no victim that was offered", name));
            }
            reply_.victims.push_back(static_cast<std::uint32_t>(found - question_.victims.begin()));
        }
        put(question_.nodes.front(), PluginVerdict::feasible, {});
    }

    void read_refused(const json::object& answer, std::string_view name, PluginVerdict verdict) {
        const json::value* const nodes = answer.if_contains(name);
        if (nodes == nullptr) {
            return;
        }
        if (!nodes->is_object()) {
            throw PluginFault(fmt::format("`{}` must be an object: a reason by node", name));
        }
        for (const json::key_value_pair& node : nodes->as_object()) {
            put(node.key(), verdict, view_of(node.value(), name));
        }
    }

    void put(std::string_view node, PluginVerdict verdict, std::string_view reason) {
        const auto found = places_.find(node);
        if (found == places_.end()) {
            throw PluginFault(fmt::format("node {} is none that it was asked about", node));
        }
        const std::size_t at = found->second;
        if (reply_.verdicts[at] != PluginVerdict::unknown) {
            throw PluginFault(fmt::format("says two things of node {}", node));
        }
        reply_.verdicts[at] = verdict;
        reply_.reasons[at] = reason;
    }

    const sim::PluginQuestion& question_;
    sim::PluginReply& reply_;
    std::unordered_map<std::string_view, std::size_t> places_;  // of nodes in the question
};

void read_reply(const json::object& answer, const sim::PluginQuestion& question, sim::PluginReply& reply) {
    const json::value* const error = answer.if_contains("error");
    if (error == nullptr) {
        ReplyReader(question, reply).read(answer);
        return;
    }
    reply.failure = view_of(*error, "error");
    if (reply.failure.empty()) {
        throw PluginFault("`error` must say what is wrong");
    }
}

std::string line_about_victims(const sim::PluginQuestion& question, std::uint64_t number) {
    std::string line = fmt::format(R"({{"query":{},"pod":{},"node":)", number, question.object);
    kube::append_json_text(line, question.nodes.front());
    line += R"(,"victims":[)";
    for (std::size_t i = 0; i < question.victims.size(); ++i) {
        line += i == 0 ? "" : ",";
        kube::append_json_text(line, question.victims[i]);
    }
    return line + fmt::format("],\"needed\":{}}}\n", question.needed);
}

}  // namespace

std::string line_of(const sim::PluginQuestion& question, std::uint64_t number) {
    if (!question.victims.empty()) {
        return line_about_victims(question, number);
    }
    std::string line = fmt::format(R"({{"query":{},"pod":{},"nodes":[)", number, question.object);
    for (std::size_t i = 0; i < question.nodes.size(); ++i) {
        line += i == 0 ? "" : ",";
        kube::append_json_text(line, question.nodes[i]);
    }
    line += "]";
    if (!question.totals.empty()) {
        line += fmt::format(R"(,"totals":[{}])", fmt::join(question.totals, ","));
    }
    line += "}\n";
    return line;
}

NumberedReply reply_in(std::string_view line,
                       const std::function<const sim::PluginQuestion*(std::uint64_t number)>& question_of) {
    const json::object answer = object_in(line);
    only_known_members(answer);
    const json::value* const number = answer.if_contains("query");
    boost::system::error_code broken;
    NumberedReply read;
    read.number = number == nullptr ? 0 : number->to_number<std::uint64_t>(broken);
    if (number == nullptr || broken) {
        throw PluginFault("`query` must be the number of a query: " + shown(line));
    }
    const sim::PluginQuestion* const question = question_of(read.number);
    if (question == nullptr) {
        throw PluginFault(fmt::format("query {} is not open: it was answered, or never asked", read.number));
    }
    try {
        read_reply(answer, *question, read.reply);
    } catch (const PluginFault& fault) {
        throw PluginFault(fmt::format("query {} about pod {}: {}", read.number, question->pod, fault.what()));
    }
    return read;
}

}  // namespace bayplan::cli
