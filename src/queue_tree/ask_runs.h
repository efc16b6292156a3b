// Asks of applications in the order in which they are tried: priority, age, then the order in which they came.
//
// Asks alike that come in that order make a run, which is tried from its front. Whether an ask fits what its queues and
// limits have left depends on its application and its request alone, so a run waits for room as one, however many asks it has.
//
//   application:  tree of runs that may be tried, by the first ask of each
//   run:          asks of one priority and one request, as a list; or one element of n asks, which keeps the rank of its
//                 first and requests what all together do
//
// Thread: the engine's. Ids of asks and applications are the caller's, dense.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/ids.h"
#include "base/seeded_hash.h"
#include "queue_tree/amounts.h"
#include "queue_tree/need_tree.h"

namespace bayplan::queue_tree {

enum class RunId : std::uint32_t {};
inline constexpr RunId kNoRun = RunId{UINT32_MAX};
constexpr std::uint32_t raw(RunId id) { return static_cast<std::uint32_t>(id); }

struct AskKey {
    std::int32_t priority = 0;
    std::int64_t created = 0;    // seconds; of a pod group's asks, that of its first
    std::uint64_t group = 0;     // likewise: its number
    std::uint64_t sequence = 0;  // no two asks have the same

    bool comes_before(const AskKey& other) const {
        if (priority != other.priority) return priority > other.priority;
        if (created != other.created) return created < other.created;
        return group != other.group ? group < other.group : sequence < other.sequence;
    }
};

class AskRuns {
public:
    struct Run {
        ApplicationId application = kNone<ApplicationId>;
        RequestId request{};
        AskId first = kNone<AskId>;
        AskId last = kNone<AskId>;
        std::uint32_t parked_at = UINT32_MAX;  // index among runs that wait for the same; the caller's
        bool element = false;                  // its asks are one element
        NeedNode<RunId> node;
        AskKey key;  // of an element
    };

    // Owner of `requests`: the caller.
    explicit AskRuns(const RequestTable& requests) : requests_(requests) {}

    // Into a run of its application; true: the run's key, or that it can be tried, is new.
    RunId put(AskId, ApplicationId, RequestId, const AskKey&);
    // A run of its own; `request`: of all its asks together.
    RunId put_element(std::span<const AskId>, ApplicationId, RequestId request, const AskKey&);
    // Of an element.
    void set_request(RunId id, RequestId request);
    // Out of it; kNoRun: that was its last.
    RunId take_out(AskId);
    bool is_inside(AskId id) const { return raw(id) < asks_.size() && asks_[raw(id)].run != kNoRun; }

    const Run& operator[](RunId id) const { return runs_[raw(id)]; }
    // By the first ask of each run, and its application.
    template <typename Look>
    void for_each_first(Look&& look) const {
        for (std::uint32_t at = 0; at < runs_.size(); ++at) {
            if (runs_[at].first != kNone<AskId>) look(runs_[at].first, runs_[at].application);
        }
    }
    // Another one after each ask that came in or went out.
    std::uint64_t changes() const { return changes_; }
    RunId run_of(AskId id) const { return asks_[raw(id)].run; }
    AskId next(AskId id) const { return asks_[raw(id)].after; }
    // The ask's own, or that of the element it is in.
    const AskKey& key_of_element(AskId id) const {
        const AskLink& ask = asks_[raw(id)];
        return runs_[raw(ask.run)].element ? runs_[raw(ask.run)].key : ask.key;
    }
    const AskKey& key_of(RunId id) const {
        const Run& run = runs_[raw(id)];
        return run.element ? run.key : asks_[raw(run.first)].key;
    }
    // Memory that a taking of the ask looks at, and that of the ask after it.
    void fetch(ApplicationId application, RunId run, AskId ask, AskId after) const {
        queue_tree::fetch(applications_[raw(application)].runs);
        constexpr std::size_t kOfRun = offsetof(Run, node) + offsetof(NeedNode<RunId>, least);
        queue_tree::fetch(runs_[raw(run)], kOfRun);
        queue_tree::fetch(asks_[raw(ask)]);
        if (after != kNone<AskId>) queue_tree::fetch(asks_[raw(after)]);
    }
    void set_parked(RunId id, std::uint32_t at) { runs_[raw(id)].parked_at = at; }

    // Runs of an application that may be tried.
    bool can_try(ApplicationId id) const {
        return raw(id) < applications_.size() && !applications_[raw(id)].runs.empty();
    }
    // The least that a run of it needs, resource by resource; of none there is never room.
    const Room& least(ApplicationId id) const { return applications_[raw(id)].runs.least(); }
    // One of them.
    RunId any(ApplicationId id) const { return applications_[raw(id)].runs.any(); }
    // The first of them, room or not.
    RunId front(ApplicationId id) const { return applications_[raw(id)].runs.front(); }
    // The first that there is room for; kNoRun: none. Runs that were looked at for nothing are added to `looked_at`.
    RunId first(ApplicationId, const Room&, std::vector<RunId>& looked_at) const;
    // After needs became others.
    void settle_needs();
    void suspend(RunId);
    void resume(RunId);

private:
    struct AskLink {
        AskKey key;
        RunId run = kNoRun;
        AskId before = kNone<AskId>;
        AskId after = kNone<AskId>;
    };
    struct Before {
        const AskRuns* runs;
        bool operator()(RunId a, RunId b) const { return runs->key_of(a).comes_before(runs->key_of(b)); }
    };
    struct NodeOf {
        AskRuns* runs;
        NeedNode<RunId>& operator()(RunId id) const { return runs->runs_[raw(id)].node; }
    };
    struct NeedOf {
        const AskRuns* runs;
        const Room& operator()(RunId id) const { return runs->requests_.need(runs->runs_[raw(id)].request); }
    };
    using Tree = NeedTree<RunId, Before, NodeOf, NeedOf>;
    struct Application {
        explicit Application(AskRuns* of) : runs(Before{of}, NodeOf{of}, NeedOf{of}) {}

        Tree runs;
        boost::unordered_flat_map<std::uint64_t, RunId, NumberHash>
            open;  // by priority and request: the run that goes on
    };

    static std::uint64_t open_key(std::int32_t priority, RequestId request) {
        return std::uint64_t{static_cast<std::uint32_t>(priority)} << 32 | raw(request);
    }
    RunId begin_run(ApplicationId, RequestId);
    Application& application(ApplicationId);
    AskLink& link(AskId);  // of an ask that is in no run

    const RequestTable& requests_;
    std::vector<AskLink> asks_;
    std::vector<Run> runs_;
    std::vector<RunId> free_;
    std::vector<Application> applications_;
    std::uint64_t changes_ = 0;
};

}  // namespace bayplan::queue_tree
