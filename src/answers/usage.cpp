// Usage of each queue by users and groups, with their limits. See answers.h.

#include <algorithm>
#include <map>

#include "answers/pieces.h"
#include "answers/quota.h"
#include "queue_config/characters.h"

namespace bayplan::answers {

using queue_config::LimitConfig;
using read_model::Application;
using read_model::Version;

namespace {

using Names = LimitNames;

struct Usage {
    Resources used;
    std::vector<std::string_view> running;  // applications that have a node
    std::vector<std::string_view> children;
};
using UsageByPath = std::map<std::string_view, Usage>;

UsageByPath usage_of(const Version& version, const std::vector<std::uint32_t>& applications) {
    UsageByPath usage;
    for (const std::uint32_t id : applications) {
        const Application& application = *version.applications.find(id);
        const Resources used = sums(version, version.sums(id).used);
        for (std::string_view path = queue_of(*application.facts); !path.empty(); path = QueueView::parent(path)) {
            Usage& at = usage[path];
            queue_config::add_to(at.used, used);
            if (application.placed > 0) {
                at.running.push_back(application.facts->name);
            }
        }
    }
    for (auto& [path, at] : usage) {
        if (const auto above = usage.find(QueueView::parent(path)); above != usage.end()) {
            above->second.children.push_back(path);
        }
    }
    return usage;
}

void put_names(JsonText& json, std::string_view name, const std::vector<std::string_view>& all) {
    if (all.empty()) {
        return;
    }
    json.name(name);
    json.begin_array();
    for (const std::string_view one : all) {
        json.value(one);
    }
    json.end_array();
}

// The user or group that uses it.
struct User {
    Names list;
    std::string_view name;
};

void put_usage(JsonText& json, const QueueView& view, const UsageByPath& usage, std::string_view path,
               const User& whose) {
    const Usage& at = usage.at(path);
    const QueueNode* const node = view.find(path);
    const LimitConfig* const limit = node == nullptr ? nullptr : limit_of(*node->facts, whose.list, whose.name);
    json.begin_object();
    json.member("queuePath", path);
    put_if(json, "resourceUsage", at.used);
    put_names(json, "runningApplications", at.running);
    if (limit != nullptr) {
        put_if(json, "maxResources", limit->max_resources.or_none());
        if (limit->max_applications != 0) {
            json.name("maxApplications").value_unsigned(limit->max_applications);
        }
    }
    if (!at.children.empty()) {
        json.name("children");
        json.begin_array();
        for (const std::string_view child : at.children) {
            put_usage(json, view, usage, child, whose);
        }
        json.end_array();
    }
    json.end_object();
}

using ByName = std::map<std::string, std::vector<std::uint32_t>, std::less<>>;

// Applications that have pods, by user or by group, in the order of their names.
ByName applications_by(const Version& version, const QueueView& view, Names list) {
    ByName found;
    for (const std::uint32_t id : version.applications_by_name()) {
        const Application& application = *version.applications.find(id);
        const std::string_view name = list == &LimitConfig::users ? std::string_view(application.facts->user)
                                                                  : group_of(view, *application.facts);
        if (application.pods > 0 && !name.empty()) {
            found[std::string(name)].push_back(id);
        }
    }
    return found;
}

// A user or a group with each step. One alone, or an array.
class UsageSteps {
public:
    UsageSteps(VersionPtr version, Names list, std::string_view only)
        : version_(std::move(version)),
          view_(std::make_unique<const QueueView>(*version_)),
          list_(list),
          by_name_(applications_by(*version_, *view_, list)),
          is_array_(only.empty()) {
        if (!is_array_) {
            std::erase_if(by_name_, [&](const auto& one) { return one.first != only; });
        }
    }
    bool empty() const { return by_name_.empty(); }

    bool step(JsonText& json) {
        if (is_array_ && !begun_) {
            json.begin_array();
        }
        begun_ = true;
        if (!by_name_.empty()) {
            const auto first = by_name_.extract(by_name_.begin());
            list_ == &LimitConfig::users ? put_user(json, first.key(), first.mapped())
                                         : put_group(json, first.key(), first.mapped());
        }
        if (by_name_.empty() && is_array_) {
            json.end_array();
        }
        return !by_name_.empty();
    }

private:
    void put_queues(JsonText& json, std::string_view name, const std::vector<std::uint32_t>& applications) {
        json.name("queues");
        put_usage(json, *view_, usage_of(*version_, applications), "root", {list_, name});
    }

    void put_user(JsonText& json, std::string_view name, const std::vector<std::uint32_t>& applications) {
        json.begin_object();
        json.member("userName", name);
        std::map<std::string_view, std::string_view> group_of_application;
        for (const std::uint32_t id : applications) {
            const read_model::ApplicationFacts& facts = *version_->applications.find(id)->facts;
            if (const std::string_view group = group_of(*view_, facts); !group.empty()) {
                group_of_application.emplace(facts.name, group);
            }
        }
        if (!group_of_application.empty()) {
            json.name("groups");
            json.begin_object();
            for (const auto& [application, group] : group_of_application) {
                json.member(application, group);
            }
            json.end_object();
        }
        put_queues(json, name, applications);
        json.end_object();
    }

    void put_group(JsonText& json, std::string_view name, const std::vector<std::uint32_t>& applications) {
        json.begin_object();
        json.member("groupName", name);
        std::vector<std::string_view> ids;
        for (const std::uint32_t id : applications) {
            ids.push_back(version_->applications.find(id)->facts->name);
        }
        put_names(json, "applications", ids);
        put_queues(json, name, applications);
        json.end_object();
    }

    VersionPtr version_;
    std::unique_ptr<const QueueView> view_;
    Names list_;
    ByName by_name_;  // not written yet
    bool is_array_;
    bool begun_ = false;
};

AnswerPtr one(VersionPtr version, Names list, std::string_view name) {
    UsageSteps steps(std::move(version), list, name);
    return name.empty() || steps.empty() ? nullptr : piecewise(std::move(steps));
}

}  // namespace

AnswerPtr users(VersionPtr version) { return piecewise(UsageSteps(std::move(version), &LimitConfig::users, {})); }
AnswerPtr user(VersionPtr version, std::string_view name) { return one(std::move(version), &LimitConfig::users, name); }
AnswerPtr groups(VersionPtr version) { return piecewise(UsageSteps(std::move(version), &LimitConfig::groups, {})); }
AnswerPtr group(VersionPtr version, std::string_view name) {
    return one(std::move(version), &LimitConfig::groups, name);
}

}  // namespace bayplan::answers
