// Faults of YuniKorn that a whole engine must be asked about: whom a DaemonSet pod sends away, and what REST tells of it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "client.h"
#include "http/server.h"
#include "queues_cases.h"
#include "rest_world.h"

namespace bayplan::conformance {
namespace {

// --- a run in an engine

// YuniKorn has no bound on how much larger than the need a single victim may be; here that is a setting.
EngineOptions without_a_bound() {
    EngineOptions options = testing::options_with_queues();
    options.preemption.daemonset.single_deviation = 1'000 * kPercent;
    return options;
}

class EngineRun {
public:
    explicit EngineRun(const std::string& yaml) {
        engine_.apply(QueuesText{.partition = "default", .text = yaml});
        if (!engine_.queues_fault().empty()) throw std::runtime_error(engine_.queues_fault());
    }

    void step(const json::object& step) {
        const std::string op = text_of(step, "op");
        if (op == "nodes") {
            for (const json::value& node : member(step, "add").as_array()) {
                shim_.node(text_of(node.as_object(), "id"), amounts_of(member(node.as_object(), "capacity")));
            }
        } else if (op == "app") {
            const ApplicationItem item{.application = shim_.id(text_of(step, "id")),
                                       .queue = shim_.id(text_of(step, "queue")),
                                       .user = shim_.id(text_of(step, "user"))};
            shim_.send(ApplicationsMessage{.add = std::span(&item, 1), .remove = {}});
        } else if (op == "asks") {
            for (const json::value& ask : member(step, "asks").as_array()) state(text_of(step, "app"), ask.as_object());
        } else if (op == "schedule") {
            // Delays of reservations are over, and pods that are told to go have time left.
            constexpr std::int64_t kSeconds = 20'000'000'000;
            for (std::int64_t cycle = 0; cycle < member(step, "cycles").as_int64(); ++cycle) {
                engine_.apply(Tick{now_ns_ += kSeconds});
                engine_.run(1'000);
            }
        } else {
            throw std::runtime_error(fmt::format("'{}' is no step of an engine's run", op));
        }
    }

    std::string released() {
        engine_.flush();
        engine_.settle();
        std::vector<std::string> names;
        for (const testing::KeepingSink::Kept& one : sink_.kept[1]) {
            // It is told again while it stays.
            if (one.kind == DecisionKind::released && std::ranges::find(names, one.name) == names.end()) {
                names.push_back(one.name);
            }
        }
        return fmt::format("[{}]", fmt::join(names, ","));
    }

private:
    static testing::TestShim::Amounts amounts_of(const json::value& given) {
        testing::TestShim::Amounts amounts;
        for (const auto& [name, value] : resources_of(given)) {
            amounts.emplace_back(name == "vcore" ? "cpu" : name, value);
        }
        return amounts;
    }

    void state(const std::string& application, const json::object& ask) {
        std::vector<Amount> amounts;
        for (const auto& [name, value] : amounts_of(member(ask, "resource")))
            amounts.push_back({shim_.id(name), value});
        const bool required = ask.contains("requiredNode");
        AskItem item;
        const std::string key = text_of(ask, "id");
        item.key = key;
        item.application = shim_.id(application);
        item.priority = static_cast<std::int32_t>(member(ask, "priority").as_int64());
        item.created_s = member(ask, "created").as_int64();
        item.started_ms = ask.contains("node") ? 1'000 * item.created_s : 0;
        item.node = ask.contains("node") ? shim_.id(text_of(ask, "node")) : 0;
        item.required_node = required ? shim_.id(text_of(ask, "requiredNode")) : 0;
        item.daemonset = required;
        item.requests = amounts;
        shim_.send(AsksMessage{std::span(&item, 1)});
    }

    testing::KeepingSink sink_;
    Engine engine_{without_a_bound(), sink_};
    testing::TestShim shim_{engine_, "s"};
    std::int64_t now_ns_ = 0;
};

std::string only_the_youngest_goes(const json::object& test_case) {
    EngineRun run(text_of(test_case, "yaml"));
    for (const json::value& step : member(test_case, "steps").as_array()) run.step(step.as_object());
    const std::string released = run.released();
    return released == "[h3]" ? "" : "released: " + released;
}

// --- answers of REST

// One application is refused, one runs by its shim's word and ends, one is larger than what is left, and of a gang one
// placeholder has its node.
constexpr const char* kState = R"({"messages": [
  {"message": "RegisterResourceManagerRequest", "body": {"rmID": "rm:123", "buildInfo": {}, "extraConfig": {}, "config":
    "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: batch}, {name: gang}]}]}]"}},
  {"message": "NodeRequest", "body": {"nodes": [{"action": "CREATE", "nodeID": "n1",
    "schedulableResource": {"resources": {"vcore": {"value": "1000"}}}}]}},
  {"message": "ApplicationRequest", "body": {"new": [
    {"applicationID": "refused", "queueName": "root.none", "ugi": {"user": "eve"}},
    {"applicationID": "ran", "queueName": "root.batch", "ugi": {"user": "bob"}},
    {"applicationID": "large", "queueName": "root.batch", "ugi": {"user": "bob"}},
    {"applicationID": "gang", "queueName": "root.gang", "ugi": {"user": "carol"},
     "placeholderAsk": {"resources": {"vcore": {"value": "1600"}}}}]}},
  {"message": "AllocationRequest", "body": {"allocations": [{"allocationKey": "ran-1", "applicationID": "ran", "nodeID": "n1",
    "allocationTags": {"creationTime": "1700000001"}, "resourcePerAlloc": {"resources": {"vcore": {"value": "100"}}}}]}},
  {"message": "schedule", "body": {"cycles": 1}},
  {"message": "AllocationRequest", "body": {"releases": {"allocationsToRelease": [{"allocationKey": "ran-1"}]}}},
  {"message": "AllocationRequest", "body": {"allocations": [
    {"allocationKey": "gang-1", "applicationID": "gang", "placeholder": true, "taskGroupName": "w",
     "allocationTags": {"creationTime": "1700000002"}, "resourcePerAlloc": {"resources": {"vcore": {"value": "800"}}}},
    {"allocationKey": "gang-2", "applicationID": "gang", "placeholder": true, "taskGroupName": "w",
     "allocationTags": {"creationTime": "1700000003"}, "resourcePerAlloc": {"resources": {"vcore": {"value": "800"}}}},
    {"allocationKey": "large-1", "applicationID": "large",
     "allocationTags": {"creationTime": "1700000004"}, "resourcePerAlloc": {"resources": {"vcore": {"value": "900"}}}}]}},
  {"message": "schedule", "body": {"cycles": 3}}]})";

std::string answer_to(std::string_view path) {
    RestWorld world(json::parse(kState).as_object());
    http::ServerOptions options;
    options.port = 0;
    http::Server server(options, http::Router(world.routes(), "*"));
    std::string error;
    if (!server.start(error)) throw std::runtime_error(error);
    const http::Answer answer = http::get(server.port(), path);
    if (answer.status != 200) throw std::runtime_error(fmt::format("{}: status {}", path, answer.status));
    return answer.body;
}

std::vector<std::string> samples() {
    const std::string text = answer_to("/ws/v1/metrics");
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (end > at && text[at] != '#') lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

double value_of(const std::string& sample) { return std::stod(sample.substr(sample.rfind(' ') + 1)); }

std::string no_queue_is_empty_and_no_count_negative(const json::object&) {
    bool any = false;
    for (const std::string& sample : samples()) {
        if (sample.find("queue=\"\"") != std::string::npos) return "a queue without a name: " + sample;
        const bool is_count = sample.starts_with("yunikorn_") && sample.find("_app{") != std::string::npos;
        if (is_count && value_of(sample) < 0) return "below zero: " + sample;
        any = any || is_count;
    }
    return any ? "" : "no application is counted";
}

std::string as_many_come_as_go(const json::object&) {
    double allocated = 0;
    double released = 0;
    for (const std::string& sample : samples()) {
        if (!sample.starts_with("yunikorn_root_batch_queue_container{")) continue;
        if (sample.find("state=\"allocated\"") != std::string::npos) allocated += value_of(sample);
        if (sample.find("state=\"released\"") != std::string::npos) released += value_of(sample);
    }
    return released >= 1 && allocated >= released ? "" : fmt::format("{} released of {}", released, allocated);
}

std::string only_placeholders_count_for_accepted_applications(const json::object&) {
    const json::value root = json::parse(answer_to("/ws/v1/partition/default/queues"));
    std::string named;
    for (const json::value& queue : member(root.as_object(), "children").as_array()) {
        const json::value* const accepted = queue.as_object().if_contains("allocatingAcceptedApps");
        named += text_of(queue.as_object(), "queuename") + "=" +
                 (accepted == nullptr ? "[]" : json::serialize(*accepted)) + " ";
    }
    return named == R"(root.batch=[] root.gang=["gang"] )" ? "" : named;
}

struct Known {
    std::uint64_t sentence;
    std::string (*judge)(const json::object&);
};

constexpr std::array<Known, 4> kKnown = {{
    {0x994209f356011f2f, &only_the_youngest_goes},
    {0x4050c2df99c13fbc, &no_queue_is_empty_and_no_count_negative},
    {0x32afd1969c805ff1, &as_many_come_as_go},
    {0x8e5f7f06b702a6d6, &only_placeholders_count_for_accepted_applications},
}};

}  // namespace

std::optional<std::string> judge_engine_fault(const json::object& test_case) {
    const json::value& should = member(test_case, "should");
    if (!should.is_string()) return std::nullopt;
    const std::uint64_t sentence = digest_of(std::string_view(should.as_string()));
    const auto* const known = std::ranges::find(kKnown, sentence, &Known::sentence);
    if (known == kKnown.end()) return std::nullopt;
    return known->judge(test_case);
}

}  // namespace bayplan::conformance
