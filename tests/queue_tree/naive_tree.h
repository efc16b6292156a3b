// Who is next in a tree of queues, found anew each time from lists of applications and asks: the literal reading of the
// rules, which shares nothing that decides with the tree.
//
// Thread: the test's.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "queue_config/model.h"

namespace bayplan::queue_tree {

struct NaiveAsk {
    int application = 0;
    queue_config::Resources resources;
    int priority = 0;
    long created = 0;
    long group = 0;   // smaller goes first, of asks as old
    long number = 0;  // likewise within a group
    bool inside = false;
    // Of asks that wait: those with the same number other than 0 are taken together, with the rank of the least.
    int element = 0;
    int position = 0;      // in its element
    bool charged = false;  // taken or allocated
    bool taken = false;    // charged, and not known to be placed
    bool exists = true;
};

struct NaiveApplication {
    std::string leaf;  // path
    std::string user;
    std::vector<std::string> groups;
    bool running = false;
    bool ever_asked = false;
    bool exists = true;
    bool allowed = true;                             // else its asks stay inside
    long oldest = std::numeric_limits<long>::max();  // of asks that are not listed any more
};

class NaiveTree {
public:
    // Queues by path: those of the file, and removed ones with what they last had.
    struct Queue {
        queue_config::QueueConfig config;  // without children
        std::string parent;
    };

    std::map<std::string, Queue> queues;
    std::vector<NaiveApplication> applications;
    std::vector<NaiveAsk> asks;
    std::optional<queue_config::Resources> usable;  // at root; none: any amount
    queue_config::Resources total;
    std::vector<std::string> resources;  // all that there are, by name

    // Index into asks, or none.
    std::optional<std::size_t> next() const;
    // Might it be next, if nothing were before it?
    bool has_room(const NaiveAsk&) const;

    queue_config::Resources allocated(const std::string& path) const { return sum(path, true); }
    queue_config::Resources pending(const std::string& path) const { return sum(path, false); }
    // What the parent sees; none: nothing is pending.
    std::optional<int> priority(const std::string& path) const;
    int running(const std::string& path) const;

private:
    std::optional<std::size_t> next_below(const std::string& path) const;
    std::optional<std::size_t> next_of(int application) const;
    bool comes_before(const std::string& a, const std::string& b) const;
    bool application_before(int a, int b) const;
    queue_config::Resources sum(const std::string& path, bool charged) const;
    queue_config::Resources measure(const std::string& path) const;
    double share(const std::string& path) const;
    std::vector<double> shares(int application) const;
    std::optional<int> application_priority(int application) const;
    long submission_time(int application) const;
    bool may_run(int application) const;
    bool fits(const NaiveAsk&) const;
    bool is_first(const NaiveAsk&) const;
    queue_config::Resources wanted(const NaiveAsk&) const;
    std::string group(int application) const;
    bool is_below(const std::string& leaf, const std::string& path) const {
        return leaf == path || leaf.starts_with(path + ".");
    }
    std::vector<std::string> path_of(std::string leaf) const;
};

}  // namespace bayplan::queue_tree
