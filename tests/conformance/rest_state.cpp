// See rest_state.h.
#include "rest_state.h"

#include <charconv>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/lines.h"

namespace bayplan::conformance {

namespace {

namespace json = boost::json;

constexpr std::int64_t kBetweenSchedules_ns =
    31'000'000'000;  // the longest time that passes, by the notes of the examples

constexpr SpecNumber kPrefersFirst = 1;

EngineOptions options() {
    EngineOptions made;
    made.executor = ExecutorKind::inline_;
    made.queues = true;
    made.weights[ScoreId::node_affinity] = 1'000;  // where the real one put its pods: see say_preference()
    return made;
}

std::string text_of(const json::object& object, std::string_view name) {
    const json::value* const value = object.if_contains(name);
    return value == nullptr ? std::string() : std::string(value->as_string());
}

bool flag_of(const json::object& object, std::string_view name) {
    const json::value* const value = object.if_contains(name);
    return value != nullptr && value->as_bool();
}

const json::array& list_of(const json::object& object, std::string_view name) {
    static const json::array kNone;
    const json::value* const value = object.if_contains(name);
    return value == nullptr ? kNone : value->as_array();
}

std::int64_t number_of(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        throw std::runtime_error("no number: " + std::string(text));
    return number;
}

}  // namespace

RestState::RestState() : engine_(options(), sink_) { engine_.publish_to(feed_); }

void RestState::say(std::string_view name, const json::object& body) {
    if (name == "RegisterResourceManagerRequest" || name == "UpdateConfigurationRequest") {
        engine_.apply(QueuesText{.partition = "default", .text = std::string(body.at("config").as_string())});
    }
    if (name == "RegisterResourceManagerRequest") {
        shim_ = std::make_unique<testing::TestShim>(engine_, text_of(body, "rmID"));
        for (const auto& [key, value] : body.at("buildInfo").as_object()) {
            append_line(build_, std::string(key) + "=" + std::string(value.as_string()));
        }
        say_preference();
    } else if (name == "NodeRequest") {
        say_nodes(body);
    } else if (name == "ApplicationRequest") {
        say_applications(body);
    } else if (name == "AllocationRequest") {
        say_allocations(body);
    } else if (name == "schedule") {
        const auto began = std::chrono::steady_clock::now();
        engine_.apply(Tick{now_ns_ += kBetweenSchedules_ns});
        const std::uint64_t tried = engine_.run(1'000);
        const auto took = std::chrono::steady_clock::now() - began;
        times_.turns.add(took);
        if (tried > 0) times_.attempted(took, tried);
    } else if (name != "UpdateConfigurationRequest") {
        throw std::runtime_error("unknown message " + std::string(name));
    }
    model_.take(feed_);
}

read_model::VersionPtr RestState::version() {
    model_.take(feed_);
    return model_.make_version();
}

// The examples are about answers, not about which node a pod gets: the real one filled n1 first, and so pods here prefer it.
void RestState::say_preference() {
    PodSpec pods;
    WeightedNodeTerm& wish = pods.preferred_nodes.emplace_back();
    wish.weight = 100;
    wish.term.fields = {{shim_->id("metadata.name"), LabelOperator::in, {shim_->id("n1")}}};
    const SpecItem item{.number = kPrefersFirst, .spec = std::move(pods)};
    shim_->send(SpecsMessage{.define = std::span(&item, 1), .forget = {}});
}

std::vector<Amount> RestState::amounts_of(const json::object& holder, std::string_view name) {
    std::vector<Amount> amounts;
    const json::value* const resources = holder.if_contains(name);
    if (resources == nullptr) return amounts;
    for (const auto& [resource, value] : resources->as_object().at("resources").as_object()) {
        const std::string_view ours = resource == "vcore" ? std::string_view("cpu") : std::string_view(resource);
        amounts.push_back({shim_->id(std::string(ours)), number_of(value.as_object().at("value").as_string())});
    }
    return amounts;
}

void RestState::say_nodes(const json::object& body) {
    for (const json::value& value : list_of(body, "nodes")) {
        const json::object& node = value.as_object();
        std::vector<Attribute> attributes;
        if (const json::value* const given = node.if_contains("attributes")) {
            for (const auto& [key, text] : given->as_object()) {
                attributes.push_back({shim_->id(std::string(key)), shim_->id(std::string(text.as_string()))});
            }
        }
        const std::vector<Amount> capacity = amounts_of(node, "schedulableResource");
        const bool drained = text_of(node, "action") == "CREATE_DRAIN";
        const NodeItem item{.node = shim_->id(text_of(node, "nodeID")),
                            .action = drained ? NodeAction::create_drain : NodeAction::create,
                            .capacity = capacity,
                            .attributes = attributes};
        shim_->send(NodesMessage{std::span(&item, 1)});
    }
}

void RestState::say_applications(const json::object& body) {
    for (const json::value& value : list_of(body, "new")) {
        const json::object& application = value.as_object();
        const std::string queue = text_of(application, "queueName");
        const json::object& user = application.at("ugi").as_object();
        std::vector<DictId> groups;
        for (const json::value& group : list_of(user, "groups")) {
            groups.push_back(shim_->id(std::string(group.as_string())));
        }
        const std::vector<Amount> placeholders = amounts_of(application, "placeholderAsk");
        const bool hard = text_of(application, "gangSchedulingStyle") == "Hard";
        const ApplicationItem item{.application = shim_->id(text_of(application, "applicationID")),
                                   .queue = queue.empty() ? 0 : shim_->id(queue),
                                   .user = shim_->id(text_of(user, "user")),
                                   .user_groups = groups,
                                   .placeholder_ask = placeholders,
                                   .gang_style = hard ? GangStyle::hard : GangStyle::soft};
        shim_->send(ApplicationsMessage{.add = std::span(&item, 1), .remove = {}});
    }
}

void RestState::say_allocations(const json::object& body) {
    for (const json::value& value : list_of(body, "allocations")) {
        say_allocation(value.as_object());
    }
    const json::value* const releases = body.if_contains("releases");
    if (releases == nullptr) return;
    for (const json::value& value : list_of(releases->as_object(), "allocationsToRelease")) {
        shim_->release(text_of(value.as_object(), "allocationKey"));
    }
}

void RestState::say_allocation(const json::object& allocation) {
    const json::object& tags = allocation.at("allocationTags").as_object();
    const std::string key = text_of(allocation, "allocationKey"), node = text_of(allocation, "nodeID");
    const std::string application = text_of(allocation, "applicationID"), foreign = text_of(tags, "foreign");
    const std::string required = text_of(tags, "yunikorn.apache.org/requiredNode");
    const std::vector<Amount> requests = amounts_of(allocation, "resourcePerAlloc");
    AskItem item;
    item.key = key;
    item.spec = kPrefersFirst;
    item.application = application.empty() ? 0 : shim_->id(application);
    item.node = node.empty() ? 0 : shim_->id(node);
    item.required_node = required.empty() ? 0 : shim_->id(required);
    item.foreign = !foreign.empty();
    item.is_static = foreign == "static";
    item.created_s = number_of(text_of(tags, "creationTime"));
    item.requests = requests;
    item.originator = flag_of(allocation, "originator");
    item.placeholder = flag_of(allocation, "placeholder");
    if (const std::string group = text_of(allocation, "taskGroupName"); !group.empty()) item.group = shim_->id(group);
    if (const json::value* const priority = allocation.if_contains("priority")) {
        item.priority = static_cast<std::int32_t>(priority->as_int64());
    }
    if (const json::value* const policy = allocation.if_contains("preemptionPolicy")) {
        item.never_preempts = !flag_of(policy->as_object(), "allowPreemptOther");
        item.never_victim = !flag_of(policy->as_object(), "allowPreemptSelf");
    }
    std::vector<Attribute> told;
    for (const auto& [name, value] : tags) {
        told.push_back({shim_->id(std::string(name)), shim_->id(std::string(value.as_string()))});
    }
    item.tags = told;
    shim_->send(AsksMessage{std::span(&item, 1)});
}

}  // namespace bayplan::conformance
