// See timeline_page.h. The page itself is map_page.html.
#include "sim/timeline_page.h"

#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sim/cluster_use.h"
#include "sim/page_file.h"
#include "sim/reason_groups.h"

namespace bayplan::sim {

namespace {

constexpr std::size_t kNowhere = ~std::size_t{0};
constexpr std::size_t kDecisionsMax = 200'000;  // on the page: a browser reads it whole

std::string list_of(const std::vector<std::int64_t>& numbers) { return fmt::format("[{}]", fmt::join(numbers, ",")); }

}  // namespace

TimelinePage::TimelinePage(const kube::ClusterDump& dump) : resources_(ClusterUse(dump).report().resources) {
    for (const std::string& name : resources_) column_of_.emplace(dump.texts().find(name), column_of_.size());
}

void TimelinePage::add(const TimelineDecision& decision) {
    const std::string& node = decision.node.empty() ? decision.nominated_node : decision.node;
    if (++decisions_ <= kDecisionsMax) {
        decided_ += fmt::format("{}[{},{},{},{},{}]", decided_.empty() ? "" : ",", in_script(decision.pod),
                                in_script(to_string(decision.outcome)), in_script(node),
                                list_in_script(decision.victims), in_script(decision.message));
    }
}

TimelinePage::Amounts TimelinePage::amounts(const std::vector<Amount>& given) const {
    Amounts made(resources_.size());
    for (const Amount& amount : given) {
        if (const auto found = column_of_.find(amount.resource); found != column_of_.end()) {
            made[found->second] += amount.value;
        }
    }
    return made;
}

void TimelinePage::see(std::int64_t now_ms, const LiveCluster& cluster, const LiveCluster::Changes& changes) {
    for (const Text name : changes.nodes) see_node(cluster, name);
    for (const std::string& key : changes.pods) see_pod(cluster, key);
    if (std::exchange(begun_, true)) {
        end_frame(now_ms);
    } else {
        at_first_ = nodes_;
        touched_.clear();
    }
}

void TimelinePage::see_node(const LiveCluster& cluster, Text name) {
    const auto [at, fresh] = node_of_.try_emplace(name, nodes_.size());
    if (fresh) nodes_.push_back({std::string(cluster.text(name)), "-", "-", false, {}, Amounts(resources_.size())});
    Node& node = nodes_[at->second];
    const auto found = cluster.nodes().find(name);
    node.there = found != cluster.nodes().end();
    touched_.insert(at->second);
    if (!node.there) return;
    node.capacity = amounts(found->second.capacity);
    for (const Attribute& label : found->second.attributes) {
        if (cluster.text(label.key) == kZoneLabel) node.zone = cluster.text(label.value);
        if (cluster.text(label.key) == kTypeLabel) node.type = cluster.text(label.value);
    }
}

void TimelinePage::see_pod(const LiveCluster& cluster, const std::string& key) {
    const auto count = [this](const Pod& pod, std::int64_t sign) {
        if (pod.node == kNowhere) {
            waiting_ += static_cast<std::size_t>(sign);
            return;
        }
        touched_.insert(pod.node);
        for (std::size_t column = 0; column < resources_.size(); ++column) {
            nodes_[pod.node].used[column] += sign * pod.requests[column];
        }
    };
    if (const auto known = pods_.find(key); known != pods_.end()) {
        count(known->second, -1);
        pods_.erase(known);
    }
    const auto found = cluster.pods().find(key);
    if (found == cluster.pods().end()) return;
    const kube::ConvertedPod& made = found->second.made;
    const auto node = node_of_.find(made.ask.node);
    const Pod pod{made.ask.node == 0 || node == node_of_.end() ? kNowhere : node->second, amounts(made.requests)};
    count(pod, 1);
    pods_.emplace(key, pod);
}

void TimelinePage::end_frame(std::int64_t now_ms) {
    std::string nodes;
    for (const std::size_t index : std::exchange(touched_, {})) {
        const Node& node = nodes_[index];
        nodes += fmt::format("{}[{},{},{}]", nodes.empty() ? "" : ",", index,
                             node.there ? list_of(node.capacity) : "null", list_of(node.used));
    }
    if (nodes.empty() && decided_.empty()) return;
    frames_ += fmt::format("{}[{},{},[{}],[{}]]", frames_.empty() ? "" : ",\n", now_ms, waiting_, nodes,
                           std::exchange(decided_, {}));
}

void TimelinePage::write_data(std::FILE* out, const TimelineSummary& summary) const {
    const std::string totals =
        fmt::format("{} placed, {} pending, {} gone, {} preemptions, until {}", summary.placed, summary.pending.size(),
                    summary.gone, summary.preemptions, seconds_text(summary.until_ms));
    const std::string left = fmt::format("{} further decisions are not on this page", decisions_ - kDecisionsMax);
    fmt::print(out, "{{\"resources\":{},\"totals\":{},\"whatIf\":{},\n\"nodes\":[", list_in_script(resources_),
               in_script(totals), decisions_ > kDecisionsMax ? list_in_script({left}) : "[]");
    for (std::size_t index = 0; index < nodes_.size(); ++index) {
        // Nodes that came later begin with nothing.
        const Node& node = index < at_first_.size() ? at_first_[index] : nodes_[index];
        const bool there = index < at_first_.size();
        fmt::print(out, "{}[{},{},{}", index == 0 ? "" : ",\n", in_script(node.name), in_script(node.zone),
                   in_script(node.type));
        for (std::size_t column = 0; column < resources_.size(); ++column) {
            const std::int64_t used = there ? node.used[column] : 0;
            fmt::print(out, ",[{},{},{}]", there ? node.capacity[column] : 0, used, used);
        }
        fmt::print(out, "]");
    }
    ReasonGroups reasons;
    for (const TimelineSummary::Pending& pod : summary.pending) {
        reasons.add_waiting(pod.pod, Outcome::unschedulable, pod.message);
    }
    fmt::print(out, "],\n\"placed\":[],\n\"reasons\":[");
    bool first = true;
    for (const ReasonGroup& group : reasons.groups()) {
        fmt::print(out, "{}[{},{},{},{}]", std::exchange(first, false) ? "" : ",\n", group.pods,
                   in_script(to_string(group.outcome)), in_script(group.message), list_in_script(group.examples));
    }
    fmt::print(out, "],\n\"frames\":[{}]}}\n", frames_);
}

bool TimelinePage::write_html(const std::string& path, const std::string& title, const TimelineSummary& summary) const {
    return write_page(path, title, [&](std::FILE* out) { write_data(out, summary); });
}

}  // namespace bayplan::sim
