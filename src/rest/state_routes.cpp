// See state_routes.h. Faults of a request are found in the order of YuniKorn.
#include "rest/state_routes.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "answers/page.h"
#include "http/escapes.h"
#include "queue_config/characters.h"
#include "rest/errors.h"
#include "rest/pieces.h"

namespace bayplan::rest {

namespace {

using answers::AnswerPtr;
using answers::VersionPtr;
using http::Request;
using http::Response;

constexpr std::string_view kBadQueueName =
    "invalid queue name, max 64 characters consisting of alphanumeric characters and '-', '_', '#', '@', '/', ':' "
    "allowed";
constexpr std::string_view kActiveStates[] = {"new", "accepted", "running", "completing", "failing", "resuming"};

Response not_found(std::string_view thing) { return error_answer(404, std::string(thing) + " not found"); }
Response nothing_yet() { return error_answer(503, "The engine has told nothing yet"); }

// One request about one partition; each step may find the answer already.
class Asked {
public:
    Asked(const ShownPartitions& partitions, const Request& request) : partitions_(partitions), request_(request) {}

    // Steps return false once there is an answer.
    bool has_partition() {
        if (answer_) return false;
        const auto found = std::ranges::find_if(partitions_, [&](const ShownPartition& one) {
            return one.place.partition == request_.parameter("partition");
        });
        return found == partitions_.end() ? answer(error_answer(404, kPartitionNotFound)) : looks_at(*found);
    }
    // Usage is asked for without a look at the partition: of an unknown one the first is meant.
    bool has_any_partition() {
        const auto found = std::ranges::find_if(partitions_, [&](const ShownPartition& one) {
            return one.place.partition == request_.parameter("partition");
        });
        return looks_at(found == partitions_.end() ? partitions_.front() : *found);
    }
    // Path parameters are decoded once more by handlers, as clients that know YuniKorn expect.
    bool decodes(std::string_view parameter) {
        if (answer_) return false;
        http::Unescaped decoded = http::unescape_query(request_.parameter(parameter));
        text_ = std::move(decoded.text);
        return decoded.fault.empty() || answer(error_answer(400, decoded.fault));
    }
    bool is_queue_path() {
        if (answer_ || !decodes("queue")) return false;
        queue_ = queue_config::lower_case(text_);
        for (std::size_t begin = 0; begin <= queue_.size();) {
            const std::size_t end = std::min(queue_.find('.', begin), queue_.size());
            if (!queue_config::is_queue_name(std::string_view(queue_).substr(begin, end - begin))) {
                return answer(error_answer(400, kBadQueueName));
            }
            begin = end + 1;
        }
        return true;
    }
    // The states that the path and the query want; `others`: further words that the path may have.
    bool wants_state(std::string_view others) {
        if (answer_) return false;
        const std::string state = queue_config::lower_case(std::string(request_.parameter("state")));
        live_ = state == "active";
        rejected_ = state == "rejected";
        const bool finished = !others.empty() && (rejected_ || state == "completed");
        if (!live_ && !finished) {
            return answer(
                error_answer(400, "Only following application states are allowed: active" + std::string(others)));
        }
        const std::optional<std::string> status = request_.query_value("status");
        if (!live_ || !status || status->empty()) return true;
        status_ = queue_config::lower_case(*status);
        if (std::ranges::find(kActiveStates, status_) != std::end(kActiveStates)) return true;
        std::string allowed;
        for (const std::string_view one : kActiveStates) allowed += (allowed.empty() ? "" : ", ") + std::string(one);
        return answer(error_answer(400, "Only following active statuses are allowed: " + allowed));
    }
    // A part of a list, if the query wants no more.
    bool wants_page() {
        if (answer_) return false;
        page_.after = request_.query_value("after").value_or("");
        const std::optional<std::string> limit = request_.query_value("limit");
        if (!limit) return true;
        const char* const end = limit->data() + limit->size();
        const auto [read_to, fault] = std::from_chars(limit->data(), end, page_.limit);
        return (fault == std::errc() && read_to == end && page_.limit > 0) ||
               answer(error_answer(400, "limit is no number above 0"));
    }
    // Null: there is no such thing.
    bool shows(AnswerPtr found, std::string_view thing) {
        return answer(found == nullptr ? not_found(thing) : json_pieces(std::move(found)));
    }
    bool answer(Response&& response) {
        answer_ = std::move(response);
        return false;
    }
    Response take() { return std::move(*answer_); }

    const VersionPtr& version() const { return version_; }
    const answers::Place& place() const { return place_; }
    const std::string& queue() const { return queue_; }
    const std::string& text() const { return text_; }
    const std::string& status() const { return status_; }
    const answers::Page& page() const { return page_; }
    bool live() const { return live_; }
    bool rejected() const { return rejected_; }
    bool in_query(std::string_view name) const { return request_.query_value(name).has_value(); }

private:
    bool looks_at(const ShownPartition& partition) {
        place_ = partition.place;
        version_ = partition.version();
        return version_ != nullptr || answer(nothing_yet());
    }

    const ShownPartitions& partitions_;
    const Request& request_;
    std::optional<Response> answer_;
    answers::Place place_;
    VersionPtr version_;
    std::string text_;    // decoded last
    std::string queue_;   // path, lower case
    std::string status_;  // empty: all
    answers::Page page_;
    bool live_ = true;
    bool rejected_ = false;
};

using Steps = void (*)(Asked&);

void show_queues(Asked& asked) {
    asked.has_partition() && asked.shows(answers::queues(asked.version(), asked.place()), "Queue");
}

void show_queue(Asked& asked) {
    asked.has_partition() && asked.is_queue_path() &&
        asked.shows(answers::queue(asked.version(), asked.queue(), asked.in_query("subtree"), asked.place()), "Queue");
}

void show_applications_of_queue(Asked& asked) {
    asked.is_queue_path() && asked.has_partition() &&
        asked.shows(answers::applications_of_queue(asked.version(), asked.place(), asked.queue(), {}), "Queue");
}

void show_state_of_queue(Asked& asked) {
    asked.is_queue_path() && asked.has_partition() && asked.wants_state("") &&
        asked.shows(answers::applications_of_queue(asked.version(), asked.place(), asked.queue(), asked.status()),
                    "Queue");
}

void show_application_of_queue(Asked& asked) {
    if (!asked.is_queue_path() || !asked.has_partition() || !asked.decodes("application")) return;
    AnswerPtr found = answers::application(asked.version(), asked.place(), asked.text(), asked.queue());
    const bool has_queue =
        found != nullptr || answers::queue(asked.version(), asked.queue(), false, asked.place()) != nullptr;
    asked.shows(std::move(found), has_queue ? "Application" : "Queue");
}

void show_application(Asked& asked) {
    asked.has_partition() && asked.decodes("application") &&
        asked.shows(answers::application(asked.version(), asked.place(), asked.text(), {}), "Application");
}

void show_applications(Asked& asked) {
    if (asked.has_partition() && asked.wants_state(", rejected, completed") && asked.wants_page()) {
        asked.shows(asked.live() ? answers::applications(asked.version(), asked.place(), asked.status(), asked.page())
                    : asked.rejected() ? answers::rejected_applications(asked.version(), asked.place())
                                       : answers::completed_applications(asked.version(), asked.place()),
                    "Partition");
    }
}

void show_nodes(Asked& asked) {
    asked.has_partition() && asked.wants_page() &&
        asked.shows(answers::nodes(asked.version(), asked.place(), asked.page()), "Partition");
}

void show_node(Asked& asked) {
    if (asked.has_partition() && asked.decodes("node")) {
        std::optional<std::string> found = answers::node(asked.version(), asked.place(), asked.text());
        asked.answer(found ? json_text(std::move(*found)) : not_found("Node"));
    }
}

void show_users(Asked& asked) { asked.has_any_partition() && asked.shows(answers::users(asked.version()), "User"); }

void show_user(Asked& asked) {
    if (!asked.has_any_partition() || !asked.decodes("user")) return;
    queue_config::is_user_name(asked.text()) ? asked.shows(answers::user(asked.version(), asked.text()), "User")
                                             : asked.answer(error_answer(400, "Invalid user name"));
}

void show_groups(Asked& asked) { asked.has_any_partition() && asked.shows(answers::groups(asked.version()), "Group"); }

void show_group(Asked& asked) {
    if (!asked.has_any_partition() || !asked.decodes("group")) return;
    queue_config::is_group_name(asked.text()) ? asked.shows(answers::group(asked.version(), asked.text()), "Group")
                                              : asked.answer(error_answer(400, "Invalid group name"));
}

using Versions = std::vector<std::pair<VersionPtr, answers::Place>>;

http::Handler of_all(const ShownPartitions& partitions, std::string (*text)(const Versions&)) {
    return [&partitions, text](const Request&) {
        Versions versions;
        for (const ShownPartition& partition : partitions) {
            versions.emplace_back(partition.version(), partition.place);
            if (versions.back().first == nullptr) return nothing_yet();
        }
        return json_text(text(versions));
    };
}

}  // namespace

std::vector<http::Route> state_routes(const ShownPartitions& partitions) {
    std::vector<http::Route> routes;
    const auto of_partition = [&](std::string_view rest, Steps steps) {
        routes.push_back(
            {"GET", "/ws/v1/partition/{partition}/" + std::string(rest), [&partitions, steps](const Request& request) {
                 Asked asked(partitions, request);
                 steps(asked);
                 return asked.take();
             }});
    };
    of_partition("queues", show_queues);
    of_partition("queue/{queue}", show_queue);
    of_partition("queue/{queue}/applications", show_applications_of_queue);
    of_partition("queue/{queue}/applications/{state}", show_state_of_queue);
    of_partition("queue/{queue}/application/{application}", show_application_of_queue);
    of_partition("application/{application}", show_application);
    of_partition("applications/{state}", show_applications);
    of_partition("nodes", show_nodes);
    of_partition("node/{node}", show_node);
    of_partition("usage/users", show_users);
    of_partition("usage/user/{user}", show_user);
    of_partition("usage/groups", show_groups);
    of_partition("usage/group/{group}", show_group);
    routes.push_back({"GET", "/ws/v1/clusters", of_all(partitions, answers::clusters)});
    routes.push_back({"GET", "/ws/v1/partitions", of_all(partitions, answers::partitions)});
    routes.push_back({"GET", "/ws/v1/scheduler/node-utilizations", of_all(partitions, answers::node_utilizations)});
    return routes;
}

}  // namespace bayplan::rest
