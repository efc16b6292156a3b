// Explanations of pod groups for the lines of one attempt, or of one change: each group is explained once, and the line of every
// member has it.
//
// Thread: one. Owner: the caller, as long as these lines are handed out.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kube/cluster_dump.h"
#include "sim/explained.h"

namespace bayplan::sim {

class ToldGroups {
public:
    using Explain = std::function<std::optional<Explanation>()>;

    // The group of this pod is told as it was when the pod was explained. Only the first explanation of a group counts.
    void know(const kube::ConvertedPod&, const Explanation&);
    // A group of which nothing is known yet is explained as it is now.
    void tell(Explained&, const kube::ConvertedPod&, const Explain&);

private:
    struct Told {
        std::shared_ptr<const GroupExplanation> group;  // null: its pods are not placed together
        bool on_a_line = false;
    };
    std::map<std::pair<Text, std::string>, Told> groups_;  // by application and name
};

}  // namespace bayplan::sim
