// Pods that wait, by reason: for the console. See answers.h.

#include <algorithm>
#include <map>

#include "answers/answers.h"
#include "answers/json_text.h"
#include "answers/quota.h"

namespace bayplan::answers {

namespace {

constexpr std::size_t kReasonsMax = 50;

using Untried = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

// Pods that were not tried, by the quota that holds them back; empty: by none.
std::map<std::string_view, std::uint64_t> by_quota(const read_model::Version& version, const Untried& untried) {
    std::map<std::string_view, std::uint64_t> pods_by_quota;
    if (untried.empty()) return pods_by_quota;
    const QueueView queues(version);
    const Quota quota(version, queues);
    for (const auto& [which, pods] : untried) {
        if (which.first == read_model::kNobody) {
            pods_by_quota[""] += pods;
            continue;
        }
        const read_model::ApplicationFacts& application = *version.applications.find(which.first)->facts;
        const Resources requests = sums(version, version.shapes.find(which.second)->facts->requests);
        pods_by_quota[Quota::lacking(quota.left(application), requests)] += pods;
    }
    return pods_by_quota;
}

}  // namespace

std::string pending_by_reason(const VersionPtr& version) {
    std::map<std::uint32_t, std::uint64_t> by_reason;  // texts by number: a million pods have few reasons
    Untried untried;                                   // by application and shape
    version->pods.for_each([&](std::uint32_t, const read_model::Pod& pod) {
        if (pod.wants_place()) ++(pod.reason == 0 ? untried[{pod.application, pod.shape}] : by_reason[pod.reason]);
    });
    std::vector<std::pair<std::uint64_t, std::string_view>> rows;
    for (const auto& [reason, pods] : by_quota(*version, untried)) rows.emplace_back(pods, reason);
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
