// Explanations of pod groups for the lines of one attempt: each group is explained once, and every member's line has it.
//
// Thread: one. Owner: the caller, as long as the lines of an attempt are handed out.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sim/simulation.h"

namespace bayplan::sim {

class ToldGroups {
public:
    using Explain = std::function<std::optional<Explanation>()>;

    // `attempt`: as the pod that was tried first was explained before. A group that is not tried (refused members, or no quorum)
    // is explained as it is now.
    void tell(SimulatedDecision&, const kube::ConvertedPod&, const std::optional<Explanation>& attempt, const Explain&);

private:
    // By application and name. Null: its pods are not placed together.
    std::map<std::pair<Text, std::string>, std::shared_ptr<const GroupExplanation>> groups_;
};

}  // namespace bayplan::sim
