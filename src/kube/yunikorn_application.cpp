// See yunikorn_application.h.
#include "kube/yunikorn_application.h"

#include <string>
#include <vector>

#include "kube/document_reader.h"

namespace bayplan::kube {

namespace {

constexpr const char* kUserInfo = "yunikorn.apache.org/user.info";
constexpr std::string_view kUnknownUser = "nobody";

// Of several the first that says something.
const Value* first_said(std::initializer_list<const Value*> values) {
    for (const Value* const value : values) {
        if (value->present() && !value->text().empty()) {
            return value;
        }
    }
    return nullptr;
}

struct User {
    std::string name;
    std::vector<std::string> groups;
};

User user_of(Converter& convert, const Value& annotations) {
    const Value& info = annotations[kUserInfo];
    if (!info.present()) {
        return {std::string(kUnknownUser), {}};
    }
    std::string text(info.text());
    const std::size_t size = text.size();
    text.resize(size + kTextPadding);
    User user;
    std::vector<ObjectFault> faults;
    read_json(
        std::string_view(text).substr(0, size), kUserInfo,
        [&](const ReadObject& read) {
            user.name = std::string(read.value["user"].text());
            for (const Value& group : read.value["groups"].items()) {
                if (!group.text().empty()) {
                    user.groups.emplace_back(group.text());
                }
            }
        },
        faults);
    if (!faults.empty() || user.name.empty()) {
        convert.reader.fault_below(annotations, kUserInfo, "is not JSON with a user: {\"user\": \"..\"}");
    }
    return user;
}

}  // namespace

ApplicationItem yunikorn_application(Converter& convert, std::shared_ptr<const ApplicationLists>& lists) {
    const Value& metadata = convert.reader.root()["metadata"];
    const Value& labels = metadata["labels"];
    const Value& annotations = metadata["annotations"];
    const Value* const id =
        first_said({&labels["yunikorn.apache.org/app-id"], &annotations["yunikorn.apache.org/app-id"],
                    &labels["applicationId"], &labels["spark-app-selector"]});
    const Value* const queue =
        first_said({&labels["yunikorn.apache.org/queue"], &annotations["yunikorn.apache.org/queue"], &labels["queue"]});
    ApplicationItem made;
    made.application = id != nullptr
                           ? convert.text(*id)
                           : convert.intern(metadata, "yunikorn-" + std::string(convert.name_space()) + "-autogen");
    made.queue = queue != nullptr ? convert.text(*queue) : 0;
    const User user = user_of(convert, annotations);
    made.user = convert.intern(metadata, user.name);
    ApplicationLists made_lists;
    for (const std::string& group : user.groups) {
        made_lists.user_groups.push_back(convert.intern(metadata, group));
    }
    made_lists.tags = {{convert.texts.id("namespace"), convert.intern(metadata["namespace"], convert.name_space())}};
    if (!convert.reader.root()["spec"]["nodeName"].text().empty()) {
        made_lists.tags.push_back({convert.texts.id("application.create.force"), convert.texts.id("true")});
    }
    lists = std::make_shared<const ApplicationLists>(std::move(made_lists));
    made.user_groups = lists->user_groups;
    made.tags = lists->tags;
    return made;
}

}  // namespace bayplan::kube
