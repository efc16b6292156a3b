// Which queue an application goes to: rules in their order, the first that names a queue which will have it. Queues that
// are not there yet are made. Forced applications (they run already) end in the recovery queue at the worst.
//
// Thread: the engine's. Errors: a refusal is an answer, with its reason and sort.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "queue_config/expression.h"
#include "queue_config/model.h"
#include "queue_tree/queue_table.h"

namespace bayplan::queue_tree {

using Tags = std::map<std::string, std::string>;

struct Submission {
    std::string id{};
    std::string queue{};  // as the application names it; may be empty
    std::optional<User> user{};
    Tags tags{};
    bool forced = false;                    // or by the tag application.create.force
    bool may_force = true;                  // by that tag
    Resources placeholder_ask{};            // of a gang; empty: none
    std::uint32_t maker = kNoMaker;         // for whom queues are made
    std::uint32_t queues_max = UINT32_MAX;  // so many at most are there of those
};

enum class Refusal : std::uint8_t {
    none,
    no_rule,  // no rule matched
    no_user,
    bad_user_name,
    bad_queue_name,
    parent_is_leaf,   // a parent rule gave a leaf
    above_is_leaf,    // the queue would have to be made below a leaf
    too_many_queues,  // more than queues_max would be made
    sort_policy,      // a gang needs a fifo leaf
    gang_too_large,   // for max of the queues
};

struct Placed {
    QueueId queue = kNoQueue;
    User user;
    Refusal refusal = Refusal::none;
    std::string why;
    bool guarantee_changed = false;  // of the queue, by the application's tags
};

// By the tag application.create.force.
bool says_forced(const Tags&);

class PlacementRules {
public:
    explicit PlacementRules(const std::vector<queue_config::PlacementRuleConfig>&);

    // Makes dynamic queues as needed; a refusal may leave some, which the cleaner takes away.
    Placed place(const Submission&, QueueTable&) const;

private:
    enum class Rule : std::uint8_t { provided, user, fixed, tag };

    struct Filter {
        bool allow = true;
        bool empty = true;
        std::vector<std::string> users;
        std::vector<std::string> groups;
        std::optional<queue_config::Expression> user_expression;
        std::optional<queue_config::Expression> group_expression;

        bool lets_pass(const User&) const;
    };
    struct Compiled {
        Rule rule = Rule::provided;
        bool create = false;
        std::string value;
        Filter filter;
        std::unique_ptr<Compiled> parent;
    };
    struct Path;

    static Compiled compile(const queue_config::PlacementRuleConfig&);
    static Filter compile(const queue_config::FilterConfig&);
    static Path path_of(const Compiled&, const Submission&, const User&, const QueueTable&);
    Placed choose(const Submission&, const User&, bool forced, QueueTable&) const;

    std::vector<Compiled> rules_;
};

// Applications of a namespace tell its quota by tags: for a dynamic leaf alone. Unusable ones are passed over. True: what is
// guaranteed has changed.
bool apply_quota_tags(const Tags&, QueueId, QueueTable&);

}  // namespace bayplan::queue_tree
