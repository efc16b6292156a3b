// Applications sent to a configuration, reloads and cleaning between them: where each one lands, and the queues at the end.
#include <set>

#include <fmt/format.h>

#include "queue_config/load.h"
#include "queue_tree/placement.h"
#include "queues_cases.h"

namespace bayplan::conformance {

using queue_tree::Refusal;

std::string_view words_of(Refusal refusal) {
    switch (refusal) {
        case Refusal::none: return "no refusal";
        case Refusal::no_rule: return "no placement rule matched";
        case Refusal::no_user: return "empty user";
        case Refusal::bad_user_name: return "invalid username";
        case Refusal::bad_queue_name: return "invalid queue name";
        case Refusal::parent_is_leaf: return "parent rule returned a leaf queue";
        case Refusal::above_is_leaf: return "parent is already a leaf";
        case Refusal::sort_policy: return "unsupported sort type";
        case Refusal::gang_too_large: return "task group";
        case Refusal::too_many_queues: return "queues made";
    }
    return "";
}

queue_tree::Submission submission_of(const json::object& action) {
    queue_tree::Submission submission;
    submission.id = text_of(action, "id");
    submission.queue = text_of(action, "queue");
    if (!action.contains("noUser")) {
        submission.user.emplace().name = text_of(action, "user");
        for (const json::value& group : member(action, "groups").as_array()) {
            submission.user->groups.emplace_back(group.as_string());
        }
    }
    if (const json::value* tags = action.if_contains("tags")) {
        for (const auto& [name, value] : tags->as_object()) submission.tags[name] = std::string(value.as_string());
    }
    submission.forced = action.contains("forced") && member(action, "forced").as_bool();
    if (const json::value* gang = action.if_contains("placeholderAsk"))
        submission.placeholder_ask = resources_of(*gang);
    return submission;
}

queue_config::Resources resources_of(const json::value& value) {
    queue_config::Resources resources;
    for (const auto& [name, amount] : value.as_object()) resources[name] = amount.to_number<std::int64_t>();
    return resources;
}

namespace {

class Run {
public:
    std::string load(const std::string& yaml) {
        queue_config::SchedulerConfig config;
        config::Faults faults;
        if (!queue_config::load_queue_config(yaml, "queues.yaml", config, faults)) return faults.front().to_string();
        std::string why;
        if (!queues_.apply(config.partitions.front(), why)) return why;
        rules_.emplace(config.partitions.front().placement_rules);
        return "";
    }

    std::string judge(const json::object& action, const json::object& expected) {
        if (action.contains("clean")) {
            queues_.clean();
            return "";
        }
        if (const json::value* yaml = action.if_contains("reload")) {
            const std::string error = load(std::string(yaml->as_string()));
            return error.empty() == text_of(expected, "error").empty() ? "" : "reload: " + error;
        }
        const std::string id = text_of(action, "id");
        if (id != text_of(expected, "id")) return "answers are not in the order of actions";
        const bool rejected = expected.contains("rejected") && member(expected, "rejected").as_bool();
        if (ids_.contains(id)) {
            return rejected && text_of(expected, "error").find("already existed") != std::string::npos
                       ? ""
                       : id + " is twice";
        }
        const queue_tree::Placed placed = rules_->place(submission_of(action), queues_);
        if (placed.refusal == Refusal::none) {
            ids_.insert(id);
            queues_.application_added(placed.queue);
            const std::string& path = queues_[placed.queue].path;
            return !rejected && path == text_of(expected, "queue") ? "" : fmt::format("{} is in {}", id, path);
        }
        const bool same_reason = !expected.contains("error") ||
                                 text_of(expected, "error").find(words_of(placed.refusal)) != std::string::npos;
        return rejected && same_reason ? "" : fmt::format("{} is refused: {}", id, placed.why);
    }

    json::object queues() const {
        json::object all;
        for (std::uint32_t at = 0; at < queues_.end(); ++at) {
            const queue_tree::Queue& queue = queues_[queue_tree::QueueId{at}];
            if (!queue.exists) continue;
            const bool fair = !queue.leaf || queue.settings.sort_policy == queue_tree::SortPolicy::fair;
            json::object shown{{"managed", queue.managed},
                               {"leaf", queue.leaf},
                               {"status", queue.status == queue_tree::QueueStatus::active ? "Active" : "Draining"},
                               {"guaranteed", json::value_from(queue.guaranteed)},
                               {"maxRunningApps", queue.max_applications},
                               {"properties", json::value_from(queue.properties)},
                               {"sortingPolicy", fair ? "fair" : "fifo"}};
            if (queue.parent != queue_tree::kNoQueue) shown["max"] = json::value_from(queue.max);
            all[queue.path] = std::move(shown);
        }
        return all;
    }

private:
    queue_tree::QueueTable queues_;
    std::optional<queue_tree::PlacementRules> rules_;
    std::set<std::string> ids_;
};

}  // namespace

std::string judge_placement(const json::object& test_case) {
    Run run;
    const bool fault = test_case.contains("should");
    const std::string error = run.load(text_of(test_case, "yaml"));
    if (fault && member(test_case, "should").is_object()) {
        const bool valid = member(member(test_case, "should").as_object(), "valid").as_bool();
        return valid == error.empty() ? "" : "the configuration: " + error;
    }
    if (!error.empty()) return "the configuration is refused: " + error;
    const json::array& actions = member(test_case, "apps").as_array();
    const json::array& expected = member(test_case, fault ? "should" : "expect").as_array();
    if (actions.size() != expected.size()) return "as many answers as actions are needed";
    for (std::size_t at = 0; at < actions.size(); ++at) {
        const std::string difference = run.judge(actions[at].as_object(), expected[at].as_object());
        if (!difference.empty()) return fmt::format("action {}: {}", at, difference);
    }
    if (fault) return "";
    const json::object queues = run.queues();
    for (const auto& [path, queue] : member(test_case, "queues").as_object()) {
        const json::value* const own = queues.if_contains(path);
        if (own == nullptr) return fmt::format("no queue {}", std::string(path));
        if (*own != queue) return fmt::format("queue {}: {}", std::string(path), json::serialize(*own));
    }
    return queues.size() == member(test_case, "queues").as_object().size() ? "" : "queues that should not be there";
}

}  // namespace bayplan::conformance
