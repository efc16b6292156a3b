// Pods that wait, by reason: for the console. See answers.h.

#include <algorithm>
#include <map>

#include "answers/answers.h"
#include "answers/json_text.h"

namespace bayplan::answers {

namespace {

constexpr std::size_t kReasonsMax = 50;

}  // namespace

std::string pending_by_reason(const VersionPtr& version) {
    std::map<std::uint32_t, std::uint64_t> by_reason;  // texts by number: a million pods have few reasons
    version->pods.for_each([&](std::uint32_t, const read_model::Pod& pod) {
        if (pod.wants_place()) ++by_reason[pod.reason];
    });
    std::vector<std::pair<std::uint64_t, std::string_view>> rows;
    for (const auto& [reason, pods] : by_reason) rows.emplace_back(pods, version->texts.text(reason));
    std::ranges::sort(rows, [](const auto& one, const auto& other) {
        return one.first != other.first ? one.first > other.first : one.second < other.second;
    });
    std::uint64_t others = 0;
    for (std::size_t at = kReasonsMax; at < rows.size(); ++at) others += rows[at].first;
    rows.resize(std::min(rows.size(), kReasonsMax));
    JsonText json;
    json.begin_object();
    json.name("reasons");
    json.begin_array();
    for (const auto& [pods, reason] : rows) {
        json.begin_object();
        json.member("reason", reason);
        json.name("pods");
        json.value_unsigned(pods);
        json.end_object();
    }
    json.end_array();
    json.name("others");
    json.value_unsigned(others);
    json.end_object();
    return json.take();
}

}  // namespace bayplan::answers
