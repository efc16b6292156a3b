// See load_plugin.h.
#include "cli/load_plugin.h"

#include <algorithm>

namespace bayplan::cli {

namespace {

constexpr std::size_t kAnswersPerMessage = 256;
constexpr std::string_view kRefused = "refused by the load's plugin, as told";

// FNV-1a: the same on every machine.
std::uint64_t mixed(std::string_view text, std::uint64_t hash) {
    for (const char letter : text) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
    }
    return hash;
}

bool refuses(std::string_view key, std::string_view node, double share) {
    std::uint64_t hash = mixed(node, mixed(key, 0xcbf29ce484222325));
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccd;  // names that differ in one letter share the upper bits
    hash ^= hash >> 33;
    return static_cast<double>(hash >> 11) < share * static_cast<double>(std::uint64_t{1} << 53);
}

}  // namespace

void LoadPlugin::asked(std::uint64_t query, std::string_view key, std::span<const std::string_view> nodes,
                       std::int64_t now_ns) {
    Waiting& waiting = waiting_.emplace_back();
    waiting.due_ns = now_ns + answer_ns_;
    waiting.query = query;
    for (const std::string_view node : nodes) {
        const bool no = refuses(key, node, refuses_);
        if (no) {
            waiting.reasons.push_back({static_cast<std::uint32_t>(waiting.verdicts.size()), kRefused});
            ++refusals_;
        }
        waiting.verdicts.push_back(no ? PluginVerdict::unschedulable : PluginVerdict::feasible);
    }
}

std::size_t LoadPlugin::answer(std::int64_t now_ns, const std::function<bool(std::span<const PluginAnswer>)>& submit) {
    std::vector<PluginAnswer> answers;
    for (const Waiting& waiting : waiting_) {
        if (waiting.due_ns > now_ns || answers.size() == kAnswersPerMessage) {
            break;
        }
        answers.push_back({.query = waiting.query,
                           .verdicts = waiting.verdicts,
                           .reasons = waiting.reasons,
                           .failure = {},
                           .lasting = true});
    }
    if (answers.empty() || !submit(answers)) {
        return 0;
    }
    answers_ += answers.size();
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(answers.size()));
    return answers.size();
}

}  // namespace bayplan::cli
