// Nodes with the pods on them, and how full they are. See answers.h.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "answers/amounts.h"
#include "answers/node_use.h"
#include "answers/page.h"
#include "answers/pieces.h"
#include "answers/pods.h"

namespace bayplan::answers {

using read_model::AmountList;
using read_model::Pod;
using read_model::Version;

namespace {

// Pods on a node, with their sums.
struct Content {
    Resources allocated;
    Resources occupied;
    std::vector<std::uint32_t> pods;
    std::vector<std::uint32_t> foreign;
};

Content content_of(const Version& version, std::uint32_t node) {
    Content content;
    AmountList allocated;
    AmountList occupied;
    for (const std::uint32_t id : by_key(version, version.pods_on(node))) {
        const Pod& pod = *version.pods.find(id);
        const bool foreign = pod.is(read_model::kForeign);
        add(foreign ? occupied : allocated, version.shape(pod).requests);
        (foreign ? content.foreign : content.pods).push_back(id);
    }
    content.allocated = sums(version, allocated);
    content.occupied = sums(version, occupied);
    return content;
}

// Of the node's capacity; below zero where more is on it than it has.
Resources available(const Resources& capacity, const Content& content) {
    Resources left = capacity;
    for (const Resources* const used : {&content.allocated, &content.occupied}) {
        for (const auto& [resource, value] : *used) {
            left[resource] -= value;
        }
    }
    return left;
}

std::map<std::string_view, std::string_view> attributes_of(const Version& version, const read_model::NodeFacts& facts) {
    std::map<std::string_view, std::string_view> attributes;
    for (const read_model::Label& label : facts.labels) {
        attributes.emplace(version.texts.text(label.key), version.texts.text(label.value));
    }
    return attributes;
}

// YuniKorn's shims state two of them for members of their own; its core adds the partition.
void put_attributes(JsonText& json, const Version& version, const Place& place, const read_model::NodeFacts& facts) {
    const std::string partition = fmt::format("[{}]{}", place.cluster, place.partition);
    auto attributes = attributes_of(version, facts);
    attributes["si/node-partition"] = partition;
    const auto text = [&](std::string_view key) {
        const auto found = attributes.find(key);
        return found == attributes.end() ? std::string_view() : found->second;
    };
    json.member_if("hostName", text("si/hostname"));
    json.member_if("rackName", text("si/rackname"));
    json.name("attributes");
    json.begin_object();
    for (const auto& [key, value] : attributes) {
        json.member(key, value);
    }
    json.end_object();
}

template <typename Put>
void put_pods(JsonText& json, std::string_view name, const std::vector<std::uint32_t>& pods, Put&& put_one) {
    if (pods.empty()) {
        return;
    }
    json.name(name);
    json.begin_array();
    for (const std::uint32_t id : pods) {
        put_one(id);
    }
    json.end_array();
}

void put_node(JsonText& json, const Version& version, const Place& place, std::uint32_t id) {
    const read_model::NodeFacts& facts = *version.nodes.find(id)->facts;
    const Content content = content_of(version, id);
    const Resources capacity = stated(version, facts.capacity);
    json.begin_object();
    json.member("nodeID", std::string_view(facts.name));
    put_attributes(json, version, place, facts);
    put_if(json, "capacity", capacity);
    put_if(json, "allocated", content.allocated);
    put_if(json, "occupied", content.occupied);
    put_if(json, "available", available(capacity, content));
    put_if(json, "utilized", percent(content.allocated, capacity));
    put_pods(json, "allocations", content.pods, [&](std::uint32_t pod) { put_allocation(json, version, pod); });
    put_pods(json, "foreignAllocations", content.foreign, [&](std::uint32_t pod) { put_foreign(json, version, pod); });
    json.member("schedulable", facts.schedulable);
    const std::span<const std::uint32_t> reserved = version.reserved_on(id);
    json.member("isReserved", !reserved.empty());
    put_pods(json, "reservations", by_key(version, reserved),
             [&](std::uint32_t pod) { json.value(version.keys.text(pod)); });
    json.end_object();
}

// A node a step: no node has more pods than some thousand.
class NodeSteps {
public:
    NodeSteps(VersionPtr version, Place place, const Page& page)
        : version_(std::move(version)), place_(std::move(place)) {
        const std::vector<std::uint32_t>& nodes = version_->nodes_by_name();
        const auto name_of = [&](std::uint32_t id) { return std::string_view(version_->nodes.find(id)->facts->name); };
        const auto first =
            page.after.empty() ? nodes.begin() : std::ranges::upper_bound(nodes, page.after, std::less<>(), name_of);
        at_ = static_cast<std::size_t>(first - nodes.begin());
        end_ = at_ + std::min(page.limit, nodes.size() - at_);
    }
    bool step(JsonText& json) {
        if (!begun_) {
            json.begin_array();
        }
        begun_ = true;
        if (at_ < end_) {
            put_node(json, *version_, place_, version_->nodes_by_name()[at_++]);
        }
        if (at_ < end_) {
            return true;
        }
        json.end_array();
        return false;
    }

private:
    VersionPtr version_;
    Place place_;
    std::size_t at_ = 0;
    std::size_t end_ = 0;
    bool begun_ = false;
};

// --- utilizations

using Buckets = std::array<std::vector<std::string_view>, kBuckets>;

void put_buckets(JsonText& json, const Buckets& buckets) {
    json.begin_array();
    for (std::size_t at = 0; at < kBuckets; ++at) {
        json.begin_object();
        json.member("bucketName", fmt::format("{}-{}%", at * 10, at * 10 + 10));
        json.member_if("numOfNodes", static_cast<std::int64_t>(buckets[at].size()));
        if (!buckets[at].empty()) {
            json.name("nodeNames");
            json.begin_array();
            for (const std::string_view name : buckets[at]) {
                json.value(name);
            }
            json.end_array();
        }
        json.end_object();
    }
    json.end_array();
}

Resources allocated_on(const Version& version, std::uint32_t node) {
    AmountList allocated;
    for (const std::uint32_t id : version.pods_on(node)) {
        const Pod& pod = *version.pods.find(id);
        if (!pod.is(read_model::kForeign)) {
            add(allocated, version.shape(pod).requests);
        }
    }
    return sums(version, allocated);
}

// By resource. A resource of a node that nobody uses there is used to 0 percent.
std::map<std::string, Buckets> buckets_of(const Version& version) {
    std::map<std::string, Buckets> all;
    for (const std::uint32_t id : version.nodes_by_name()) {
        const read_model::NodeFacts& facts = *version.nodes.find(id)->facts;
        const Resources capacity = stated(version, facts.capacity);
        const Resources used = percent(allocated_on(version, id), capacity);
        for (const auto& [resource, amount] : capacity) {
            const auto found = used.find(resource);
            all[resource][bucket_of(found == used.end() ? 0 : found->second)].push_back(facts.name);
        }
    }
    return all;
}

}  // namespace

std::string whole(Answer& answer) {
    std::string all;
    for (std::string piece = answer.next(); !piece.empty(); piece = answer.next()) {
        all += piece;
    }
    return all;
}

AnswerPtr nodes(VersionPtr version, Place place) { return nodes(std::move(version), std::move(place), Page()); }

AnswerPtr nodes(VersionPtr version, Place place, Page page) {
    return piecewise(NodeSteps(std::move(version), std::move(place), page));
}

std::optional<std::string> node(const VersionPtr& version, const Place& place, std::string_view name) {
    const std::uint32_t id = version->node_named(name);
    if (id == read_model::kNobody) {
        return std::nullopt;
    }
    JsonText json;
    put_node(json, *version, place, id);
    return json.take();
}

std::string node_utilizations(const std::vector<std::pair<VersionPtr, Place>>& all) {
    JsonText json;
    if (all.empty()) {
        json.null();
        return json.take();
    }
    json.begin_array();
    for (const auto& [version, place] : all) {
        json.begin_object();
        json.member("clusterId", std::string_view(place.cluster));
        json.member("partition", std::string_view(place.partition));
        const std::map<std::string, Buckets> buckets = buckets_of(*version);
        if (!buckets.empty()) {
            json.name("utilizations");
            json.begin_array();
            for (const auto& [resource, of_it] : buckets) {
                json.begin_object();
                json.member("type", std::string_view(resource));
                json.name("utilization");
                put_buckets(json, of_it);
                json.end_object();
            }
            json.end_array();
        }
        json.end_object();
    }
    json.end_array();
    return json.take();
}

}  // namespace bayplan::answers
