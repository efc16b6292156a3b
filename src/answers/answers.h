// YuniKorn's REST schemas from a version of the read model: one function per answer, each pure. Names of members, their types
// and which of them are left out are YuniKorn's; arrays are in the order of names. Facts
// that the engine does not know are left out.
//
// A text that may be long is an Answer, which gives it piece by piece, and holds its version meanwhile. None ends in a newline.
//
// Thread: any; an Answer: one at a time. Errors: a thing that is not there is no value, or null.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "read_model/version.h"

namespace bayplan::answers {

using read_model::VersionPtr;

// Facts about the daemon, which the engine does not know.
struct Place {
    std::string partition = "default";
    std::string cluster;          // clusterId
    std::int64_t started_ns = 0;  // since 1970; 0: left out
    std::optional<std::int64_t>
        zero_tick_ns;  // when the engine's clock was 0, since 1970; none: times of ticks are left out
    // The word of a shim on its build: lines KEY=VALUE. Any thread; null: nobody knows.
    std::function<std::string(const std::string& shim)> build_of;
};

// A long text in pieces.
class Answer {
public:
    virtual ~Answer() = default;
    // The next piece, some ten thousand bytes; empty: that was the end.
    virtual std::string next() = 0;
};
using AnswerPtr = std::unique_ptr<Answer>;
std::string whole(Answer&);  // for small clusters, and tests

// --- nodes.cpp
AnswerPtr nodes(VersionPtr, Place);
std::optional<std::string> node(const VersionPtr&, const Place&, std::string_view name);
// In ten buckets by resource, of all partitions: one version each.
std::string node_utilizations(const std::vector<std::pair<VersionPtr, Place>>&);

// --- applications.cpp: live ones; complete ones are live no more, though their shim has not removed them
// `state`: one of YuniKorn's names in lower case, of applications that are active; empty: all of them.
AnswerPtr applications(VersionPtr, Place, std::string_view state);
// None: there is no such queue. A parent has none.
AnswerPtr applications_of_queue(VersionPtr, Place, std::string_view queue, std::string_view state);
// `queue`: only if it is in that; empty: wherever it is. Of shims that use one name, the first shim's.
AnswerPtr application(VersionPtr, Place, std::string_view name, std::string_view queue);

// --- ended_applications.cpp
AnswerPtr completed_applications(VersionPtr, Place);
AnswerPtr rejected_applications(VersionPtr, Place);

// --- queues.cpp
AnswerPtr queues(VersionPtr, const Place&);  // root, with all below
// The path in lower case. Null: there is no such queue.
AnswerPtr queue(VersionPtr, std::string_view path, bool subtree, const Place& place);

// --- usage.cpp: of users and groups that have any pods
AnswerPtr users(VersionPtr);
AnswerPtr user(VersionPtr, std::string_view name);  // null: none
AnswerPtr groups(VersionPtr);
AnswerPtr group(VersionPtr, std::string_view name);

// --- partitions.cpp
std::string partitions(const std::vector<std::pair<VersionPtr, Place>>&);
std::string clusters(const std::vector<std::pair<VersionPtr, Place>>&);

// --- metrics.cpp: families in the text format of Prometheus, version 0.0.4
AnswerPtr metrics(const std::vector<std::pair<VersionPtr, Place>>&);

// --- pending.cpp: {"reasons":[{"reason","pods"}],"others"}, the most frequent first; a pod that was not tried has no reason
std::string pending_by_reason(const VersionPtr&);

// --- health.cpp: YuniKorn's nine checks, of all partitions. Looks at every pod: not for a thread that others wait for
std::string health(const std::vector<std::pair<VersionPtr, Place>>&, std::uint64_t laws_broken);

}  // namespace bayplan::answers
