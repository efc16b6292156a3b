// The queues of the oracle: which there are, where applications go, which of them run; who is next is found by the literal
// tree of tests/queue_tree. A checked configuration is read as the engine reads it; what follows from it is found here anew.
//
// Thread and errors: see oracle.h.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "naive_tree.h"
#include "queue_config/model.h"

namespace bayplan::oracle {

// Amounts as queues name them, without zeros.
queue_config::Resources in_queues(const std::map<std::string, std::int64_t>&);

enum class ApplicationState { created, accepted, running, completing, completed, resuming, failing, failed };

struct QueuedApplication {
    std::string leaf;  // path
    std::string user;
    std::vector<std::string> groups;
    std::uint64_t number = 0;  // in which they came
    ApplicationState state = ApplicationState::created;
    std::int64_t completing_since = 0;
    long oldest = std::numeric_limits<long>::max();  // of all asks that it ever had
    // rules/placeholders.md
    queue_config::Resources placeholder_ask = {};
    bool hard = false;
    std::int64_t timeout = 900'000'000'000;
    std::int64_t deadline = INT64_MAX;  // INT64_MAX: none of its placeholders has had a node
    bool is_over = false;
    // Of its attempts.
    std::uint64_t row = 0;                 // that found no node one after another
    std::int64_t rests_until = INT64_MAX;  // INT64_MAX: it does not rest
};

class OracleQueues {
public:
    using ApplicationName = std::pair<std::string, std::string>;  // shim, application

    // False: nothing has changed.
    bool load(const std::string& partition, const std::string& text);
    // An application's words of itself.
    struct Stated {
        std::string queue = {};
        std::string user = {};
        std::vector<std::string> groups = {};
        queue_config::Resources placeholder_ask = {};
        std::map<std::string, std::string> tags = {};
        bool may_force = true;
    };
    // The fault or "". Makes queues as the rules say.
    std::string add_application(const ApplicationName&, const Stated&, std::uint64_t made_max);
    void remove_application(const ApplicationName& name) { applications.erase(name); }
    // After anything happened: whether the application has any ask, what starts it, and any placeholder.
    void settle(const ApplicationName&, bool has_any, bool starts, bool has_placeholder, std::int64_t now);
    // Whether any has become complete.
    bool complete(std::int64_t now, std::int64_t idle);
    // Whether any rest was over.
    bool end_rests(std::int64_t now);
    void clean();
    // A configuration names it, or has named it.
    bool is_managed(const std::string& path) const { return standing_.at(path).managed; }

    std::map<ApplicationName, QueuedApplication> applications;
    bool guarantee_changed = false;         // of a queue, by tags; the caller's to take back
    mutable std::vector<const char*> seen;  // rules that decided; likewise
    bool preempts_between_queues = true;    // as the configuration says
    bool shrinks = false;                   // likewise: queues that are over their maximum
    // rules/quotas.md, by path: children come before their parents.
    struct Clock {
        std::int64_t since = 0;  // the queue is over
        bool in_vain = false;    // likewise, and nobody went
        std::int64_t began = 0;  // the first of those since
    };
    std::map<std::string, Clock, std::greater<>> clocks;
    // rules/guarantees.md, room below a maximum.
    bool stirred = false;                // something has happened since the last look
    std::optional<std::int64_t> looked;  // the last look
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> room_clocks;  // by leaf: since when, and due
    std::uint64_t room_looks = 0;
    std::uint64_t room_preemptions = 0;
    std::uint64_t room_victims = 0;
    std::uint64_t rests_begun = 0;
    queue_tree::NaiveTree tree;  // its queues; the rest is the caller's to fill in

private:
    struct Standing {
        bool leaf = false;
        bool managed = false;
        bool draining = false;
        std::string maker;                                                // the shim for whose application it was made
        std::optional<queue_config::ChildTemplateConfig> child_template;  // its own, or the nearest above
    };

    bool may_load(const queue_config::QueueConfig&, const std::string& path) const;
    void load(const queue_config::QueueConfig&, const std::string& path, const std::string& parent);
    void drain(const std::string& path);
    std::vector<std::string> children(const std::string& path) const;
    bool has_applications(const std::string& path) const;
    void saw(const char* what) const { seen.push_back(what); }
    std::string path_of(const queue_config::PlacementRuleConfig&, const Stated&, std::string& fault) const;
    std::string place(const ApplicationName&, Stated, std::uint64_t made_max);
    std::string choose(const Stated&, bool forced, std::string& path) const;
    bool may_submit(std::string path, const Stated&) const;
    bool accepts(const std::string& path, const Stated&, bool forced) const;
    std::string gang_fault(const std::string& path, const queue_config::Resources& placeholder_ask) const;
    std::string lowest(std::string path) const;
    void make(const std::string& path, const std::string& maker);
    std::string make_leaf(const std::string& path, const std::string& maker, std::uint64_t most);
    void take_quota(const std::string& path, const std::map<std::string, std::string>& tags);
    bool may_make(const std::string& path, const std::string& maker, std::uint64_t most) const;

    std::map<std::string, Standing> standing_;
    std::vector<queue_config::PlacementRuleConfig> rules_;
    bool loaded_ = false;
    std::uint64_t last_number_ = 0;
};

}  // namespace bayplan::oracle
