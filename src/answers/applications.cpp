// Applications with their asks and allocations. See answers.h.

#include <algorithm>
#include <memory>
#include <optional>

#include "answers/amounts.h"
#include "answers/application_members.h"
#include "answers/page.h"
#include "answers/pieces.h"
#include "answers/pods.h"
#include "answers/quota.h"
#include "queue_config/characters.h"

namespace bayplan::answers {

using read_model::Application;
using read_model::Pod;
using read_model::PodState;
using read_model::Version;

namespace {

void put_head(JsonText& json, const Version& version, const Place& place, std::uint32_t id) {
    const Application& application = *version.applications.find(id);
    const read_model::ApplicationSums& of_it = version.sums(id);
    json.begin_object();
    json.member("applicationID", std::string_view(application.facts->name));
    // In YuniKorn placeholders are none of what an application uses, though its queue does.
    read_model::AmountList used = of_it.used;
    read_model::add(used, of_it.placeholders, -1);
    put_if(json, "usedResource", sums(version, used));
    if (application.most != nullptr) {
        put_if(json, "maxUsedResource", sums(version, *application.most));
    }
    put_if(json, "pendingResource", sums(version, of_it.pending));
    json.member("partition", std::string_view(place.partition));
    json.member("queueName", queue_of(*application.facts));
    put_submission(json, place, application.oldest_s, application.came_ns);
}

void put_placeholder_data(JsonText& json, const Application& application) {
    if (application.task_groups == nullptr) {
        return;
    }
    json.name("placeholderData");
    json.begin_array();
    for (const read_model::TaskGroupTotals& group : *application.task_groups) {
        json.begin_object();
        json.member_if("taskGroupName", std::string_view(group.group));
        json.member_if("count", std::int64_t{group.count});
        put_if(json, "minResource", Resources(group.each.begin(), group.each.end()));
        json.member_if("replaced", std::int64_t{group.replaced});
        json.member_if("timedout", std::int64_t{group.timed_out});
        json.end_object();
    }
    json.end_array();
}

// `pods`: in order.
void put_tail(JsonText& json, const Version& version, const Place& place, std::uint32_t id,
              const std::vector<std::uint32_t>& pods) {
    const Application& application = *version.applications.find(id);
    json.member_if("applicationState", state_of(application));
    json.member_if("user", std::string_view(application.facts->user));
    put_texts(json, "groups", application.facts->groups);
    put_log(json, place, *application.run);
    put_placeholder_data(json, application);
    std::vector<std::string> reserved;
    std::int64_t highest = INT32_MIN;
    for (const std::uint32_t pod_id : pods) {
        const Pod& pod = *version.pods.find(pod_id);
        highest = pod.wants_place() ? std::max(highest, std::int64_t{pod.priority}) : highest;
        if (pod.state == PodState::reserved) {
            reserved.emplace_back(version.keys.text(pod_id));
        }
    }
    json.member_if("hasReserved", !reserved.empty());
    put_texts(json, "reservations", reserved);
    json.member_if("maxRequestPriority", highest);
    if (application.state != read_model::kNoApplicationState) {
        put_start(json, place, *application.run);
    }
    put_resource_history(json);
    put_rest(json, place, application.rests_until_ns);
    json.end_object();
}

// Application by application, pod by pod. One alone, or an array.
class ApplicationSteps {
public:
    ApplicationSteps(VersionPtr version, Place place, std::vector<std::uint32_t> ids, bool is_array)
        : version_(std::move(version)), place_(std::move(place)), ids_(std::move(ids)), is_array_(is_array) {}

    bool step(JsonText& json) {
        switch (part_) {
            case Part::begin:
                if (is_array_ && at_ == 0) {
                    json.begin_array();
                }
                if (at_ >= ids_.size()) {
                    json.end_array();
                    return false;
                }
                begin(json);
                break;
            case Part::requests: put_pods(json, "requests", Part::allocations); break;
            case Part::allocations: put_pods(json, "allocations", Part::end); break;
            case Part::end: return end(json);
        }
        return true;
    }

private:
    enum class Part : std::uint8_t { begin, requests, allocations, end };

    void begin(JsonText& json) {
        pods_.clear();
        for (const std::uint32_t id : by_key(*version_, version_->pods_of(ids_[at_]))) {
            if (!version_->pods.find(id)->is(read_model::kForeign)) {
                pods_.push_back(id);
            }
        }
        put_head(json, *version_, place_, ids_[at_]);
        part_ = Part::requests;
        next_pod_ = 0;
        open_ = false;
    }

    // The next pod that belongs into the list; at the end goes on to the next part. A step looks at few pods.
    void put_pods(JsonText& json, std::string_view name, Part next) {
        for (int looked_at = 0; next_pod_ < pods_.size() && looked_at < 256; ++looked_at, ++next_pod_) {
            const Pod& pod = *version_->pods.find(pods_[next_pod_]);
            const bool is_here = part_ == Part::requests ? is_request(pod) : pod.state == PodState::allocated;
            if (!is_here) {
                continue;
            }
            if (!open_) {
                json.name(name);
                json.begin_array();
                open_ = true;
            }
            if (part_ == Part::requests) {
                put_ask(json, *version_, place_, pods_[next_pod_], held(pod));
            } else {
                put_allocation(json, *version_, pods_[next_pod_]);
            }
        }
        if (next_pod_ < pods_.size()) {
            return;
        }
        if (open_) {
            json.end_array();
        }
        part_ = next;
        next_pod_ = 0;
        open_ = false;
    }

    // Why quotas hold the pod back, if any do. Sums of the whole version are found with the first that asks.
    std::vector<std::string_view> held(const Pod& pod) {
        if (!pod.wants_place()) {
            return {};
        }
        if (quota_ == nullptr) {
            queues_ = std::make_unique<const QueueView>(*version_);
            quota_ = std::make_unique<const Quota>(*version_, *queues_);
        }
        const read_model::ApplicationFacts& facts = *version_->applications.find(ids_[at_])->facts;
        if (!left_) {
            left_ = quota_->left(facts);
        }
        return quota_->reasons(facts, *left_, sums(*version_, version_->shape(pod).requests));
    }

    bool end(JsonText& json) {
        left_.reset();
        put_tail(json, *version_, place_, ids_[at_], pods_);
        part_ = Part::begin;
        ++at_;
        return is_array_;
    }

    VersionPtr version_;
    Place place_;
    std::vector<std::uint32_t> ids_;
    bool is_array_;
    Part part_ = Part::begin;
    std::size_t at_ = 0;
    std::vector<std::uint32_t> pods_;  // of the present one, by key
    std::size_t next_pod_ = 0;
    bool open_ = false;  // the present list has begun
    std::unique_ptr<const QueueView> queues_;
    std::unique_ptr<const Quota> quota_;
    std::optional<Quota::Left> left_;  // of the present one
};

std::vector<std::uint32_t> chosen(const Version& version, std::string_view queue, std::string_view state) {
    std::vector<std::uint32_t> ids;
    for (const std::uint32_t id : version.applications_by_name()) {
        const Application& application = *version.applications.find(id);
        if (!is_complete(application) && (queue.empty() || queue_of(*application.facts) == queue) &&
            (state.empty() || queue_config::lower_case(state_of(application)) == state)) {
            ids.push_back(id);
        }
    }
    return ids;
}

}  // namespace

AnswerPtr applications(VersionPtr version, Place place, std::string_view state) {
    return applications(std::move(version), std::move(place), state, Page());
}

// All of one name come together, though they may be more than the limit: the next page begins after the name.
AnswerPtr applications(VersionPtr version, Place place, std::string_view state, Page page) {
    std::vector<std::uint32_t> ids = chosen(*version, {}, state);
    const auto name_of = [&](std::uint32_t id) {
        return std::string_view(version->applications.find(id)->facts->name);
    };
    if (!page.after.empty()) {
        ids.erase(ids.begin(), std::ranges::upper_bound(ids, page.after, std::less<>(), name_of));
    }
    if (page.limit < ids.size()) {
        ids.erase(std::ranges::upper_bound(ids, name_of(ids[page.limit - 1]), std::less<>(), name_of), ids.end());
    }
    return piecewise(ApplicationSteps(std::move(version), std::move(place), std::move(ids), true));
}

AnswerPtr applications_of_queue(VersionPtr version, Place place, std::string_view queue, std::string_view state) {
    if (!has_queue(*version, queue)) {
        return nullptr;
    }
    std::vector<std::uint32_t> ids = chosen(*version, queue, state);
    return piecewise(ApplicationSteps(std::move(version), std::move(place), std::move(ids), true));
}

AnswerPtr application(VersionPtr version, Place place, std::string_view name, std::string_view queue) {
    for (const std::uint32_t id : version->applications_by_name()) {
        const Application& found = *version->applications.find(id);
        const read_model::ApplicationFacts& facts = *found.facts;
        if (!is_complete(found) && facts.name == name && (queue.empty() || queue_of(facts) == queue)) {
            return piecewise(ApplicationSteps(std::move(version), std::move(place), {id}, false));
        }
    }
    return nullptr;
}

}  // namespace bayplan::answers
