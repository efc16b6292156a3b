// Queues loaded, made, drained and cleaned away; applications placed: rules/queues.md.
//
// Thread and errors: see oracle.h.
#include "oracle_queues.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "oracle.h"
#include "oracle_guarantees.h"
#include "queue_config/load.h"

namespace bayplan::oracle {

namespace {

using queue_config::PlacementRuleConfig;
using queue_config::QueueConfig;

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

bool says_anything(const queue_config::ChildTemplateConfig& given) {
    return given.max_applications != 0 || !given.properties.empty() || given.resources.guaranteed.amounts ||
           given.resources.max.amounts;
}

}  // namespace

bool OracleQueues::load(const std::string& partition, const std::string& text) {
    queue_config::SchedulerConfig config;
    config::Faults faults;
    if (!queue_config::load_queue_config(text, "queues", config, faults)) {
        return false;
    }
    for (const queue_config::PartitionConfig& one : config.partitions) {
        if (one.name.text != partition && config.partitions.size() > 1) {
            continue;
        }
        if (!may_load(one.root(), "root")) {
            return false;
        }
        load(one.root(), "root", "");
        preempts_between_queues = one.preemption_enabled;
        shrinks = one.quota_preemption_enabled;
        rules_ = one.placement_rules;
        if (rules_.empty()) {
            rules_.emplace_back();
            rules_.back().name.text = "provided";
        }
        loaded_ = true;
        return true;
    }
    return false;
}

bool OracleQueues::may_load(const QueueConfig& config, const std::string& path) const {
    if (!standing_.contains(path)) {
        return true;
    }
    if (standing_.at(path).leaf && has_applications(path) && config.is_parent()) {
        return false;
    }
    for (const QueueConfig& child : config.queues.value_or(std::vector<QueueConfig>())) {
        if (!may_load(child, path + "." + child.name.text)) {
            return false;
        }
    }
    return true;
}

void OracleQueues::load(const QueueConfig& config, const std::string& path, const std::string& parent) {
    const std::vector<QueueConfig> listed = config.queues.value_or(std::vector<QueueConfig>());
    queue_tree::NaiveTree::Queue& queue = tree.queues[path];
    queue.parent = parent;
    queue.config = config;
    queue.config.queues.reset();
    Standing& standing = standing_[path];
    standing.managed = true;
    standing.maker.clear();
    standing.draining = false;
    standing.leaf = !config.is_parent() && children(path).empty();
    standing.child_template.reset();
    if (says_anything(config.child_template)) {
        standing.child_template = config.child_template;
    } else if (!parent.empty()) {
        standing.child_template = standing_.at(parent).child_template;
    }
    if (!parent.empty()) {
        for (const auto& [name, value] : tree.queues.at(parent).config.properties) {
            const bool stays_above = name == "preemption.policy" && lower(value) != "disabled";
            if (name != "priority.offset" && name != "priority.policy" && !stays_above) {
                queue.config.properties.emplace(name, value);
            }
        }
    }
    for (const std::string& child : children(path)) {
        const bool stays = std::any_of(listed.begin(), listed.end(),
                                       [&](const QueueConfig& one) { return path + "." + one.name.text == child; });
        if (!stays && standing_.at(child).managed) {
            drain(child);
        }
    }
    for (const QueueConfig& child : listed) {
        load(child, path + "." + child.name.text, path);
    }
}

void OracleQueues::drain(const std::string& path) {
    standing_.at(path).draining = true;
    for (const std::string& child : children(path)) {
        if (standing_.at(child).managed) {
            drain(child);
        }
    }
}

std::vector<std::string> OracleQueues::children(const std::string& path) const {
    std::vector<std::string> found;
    for (const auto& [child, queue] : tree.queues) {
        if (queue.parent == path) {
            found.push_back(child);
        }
    }
    return found;
}

bool OracleQueues::has_applications(const std::string& path) const {
    return std::any_of(applications.begin(), applications.end(),
                       [&](const auto& one) { return one.second.leaf == path; });
}

bool OracleQueues::complete(std::int64_t now, std::int64_t idle) {
    bool any = false;
    for (auto& [name, application] : applications) {
        if (application.state == ApplicationState::completing && idle != 0 &&
            now - application.completing_since >= idle) {
            application.state = ApplicationState::completed;
            any = true;
        }
    }
    return any;
}

// From the leaves up, so that what became empty goes with what was in it.
void OracleQueues::clean() {
    for (bool again = true; again;) {
        again = false;
        for (const auto& [path, standing] : standing_) {
            const bool may_go = path != "root" && (!standing.managed || standing.draining);
            if (may_go && children(path).empty() && !has_applications(path)) {
                tree.queues.erase(path);
                standing_.erase(path);
                again = true;
                break;
            }
        }
    }
}

// --- the oracle's side of it

void Oracle::apply_one(const QueuesText& queues) {
    if (!options_.queues || !queues_.load(std::string(queues.partition), std::string(queues.text))) {
        ++ignored_;
    } else if (options_.preemption.guarantee && GuaranteeRules(*this).any_guarantee()) {
        wake_all();  // R-GUARANTEE-29
    }
}

queue_config::Resources in_queues(const Amounts& amounts) {
    queue_config::Resources out;
    for (const auto& [kind, amount] : amounts) {
        if (amount > 0) {
            out[kind == "cpu" ? "vcore" : kind] += amount;
        }
    }
    return out;
}

// After each item: which applications have any asks, and which of them run.
void Oracle::settle_applications() {
    for (auto& [name, application] : queues_.applications) {
        bool has_any = false;
        bool has_node = false;
        bool has_placeholder = false;
        queue_config::Resources kept;
        for (const auto& [sequence, ask] : asks_) {
            const bool waits = ask.state == AskState::pending || ask.state == AskState::backoff ||
                               ask.state == AskState::unschedulable || ask.state == AskState::reserved ||
                               ask.state == AskState::asking;
            if (ask.foreign || ask.shim != name.first || ask.application != name.second) {
                continue;
            }
            has_any = true;
            has_node = has_node || (!ask.node.empty() && !ask.placeholder);
            has_placeholder = has_placeholder || ask.placeholder;
            if (ask.placeholder && !ask.node.empty()) {
                queue_config::add_to(kept, in_queues(ask.requests));
            }
            if (!waits && ask.node.empty()) {
                continue;
            }
            application.oldest = std::min(application.oldest, static_cast<long>(ask.created_s));
        }
        if (has_any && application.state == ApplicationState::completed) {
            saw("an application that was complete begins anew");
        }
        const bool whole = !application.placeholder_ask.empty() && kept == application.placeholder_ask;
        if (whole && application.state == ApplicationState::accepted) {
            saw("an application starts as its placeholders are whole");
        }
        queues_.settle(name, has_any, has_node || whole, has_placeholder, now_);
    }
}

// The tree as it stands, and the sequence numbers of its asks.
std::vector<std::uint64_t> Oracle::fill_tree(queue_tree::NaiveTree& tree) const {
    tree.total.clear();
    for (const auto& [name, node] : nodes_) {
        for (const auto& [kind, amount] : in_queues(node.capacity)) {
            tree.total[kind] += amount;
        }
    }
    std::vector<const OracleQueues::ApplicationName*> names;
    for (const auto& [name, application] : queues_.applications) {
        names.push_back(&name);
    }
    std::sort(names.begin(), names.end(), [&](const auto* a, const auto* b) {
        return queues_.applications.at(*a).number < queues_.applications.at(*b).number;
    });
    std::map<OracleQueues::ApplicationName, int> index;
    for (const auto* name : names) {
        const QueuedApplication& application = queues_.applications.at(*name);
        index[*name] = static_cast<int>(tree.applications.size());
        queue_tree::NaiveApplication one;
        one.leaf = application.leaf;
        one.user = application.user;
        one.groups = application.groups;
        one.running = application.state == ApplicationState::running;
        for (const auto& [sequence, ask] : asks_) {
            // An application that waits for its placeholders counts as soon as any has a node.
            one.running = one.running || (!ask.foreign && ask.shim == name->first && ask.application == name->second &&
                                          !ask.node.empty());
        }
        one.allowed = has_credit(shims_.at(name->first)) && application.rests_until == INT64_MAX;
        one.oldest = application.oldest;
        tree.applications.push_back(one);
    }
    const std::map<std::uint64_t, std::pair<int, int>> elements = elements_of_gangs();
    std::vector<std::uint64_t> sequences;
    std::set<std::string> kinds;
    for (const auto& [sequence, ask] : asks_) {
        if (ask.foreign || ask.state == AskState::gated || ask.state == AskState::waiting_for_node) {
            continue;
        }
        queue_tree::NaiveAsk one;
        one.application = index.at({ask.shim, ask.application});
        one.resources = in_queues(ask.requests);
        one.priority = std::max(ask.priority, INT32_MIN + 1);
        one.created = static_cast<long>(ask.created_s);
        one.group = static_cast<long>(ask.gang.empty() ? ask.group_number : sequence);
        one.number = static_cast<long>(sequence);
        one.inside = ask.state == AskState::pending;
        one.charged = !ask.node.empty();
        if (const auto found = elements.find(sequence); found != elements.end()) {
            one.element = found->second.first;
            one.position = found->second.second;
        }
        for (const auto& [kind, amount] : one.resources) {
            kinds.insert(kind);
        }
        tree.asks.push_back(one);
        sequences.push_back(sequence);
    }
    tree.resources.assign(kinds.begin(), kinds.end());
    return sequences;
}

// R-QUEUE-39 to R-QUEUE-43: the ask's attempt found a node, or none.
void Oracle::count_in_row(const Ask& ask, bool found) {
    const auto application = queues_.applications.find({ask.shim, ask.application});
    if (application == queues_.applications.end()) {
        return;
    }
    QueuedApplication& one = application->second;
    if (found) {
        if (std::exchange(one.row, 0) > 0) {
            saw("a row of failures ends");
        }
        return;
    }
    const auto& properties = queues_.tree.queues.at(one.leaf).config.properties;
    const auto property = [&](const char* name) {
        const auto stated = properties.find(name);
        return stated == properties.end() ? std::string() : stated->second;
    };
    const std::string most = property("application.unschedasks.backoff");
    const bool is_number =
        !most.empty() && most.size() < 10 && most.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number || std::stoull(most) == 0 || is_daemon_pod(ask) || one.rests_until != INT64_MAX) {
        return;
    }
    one.row += 1;
    if (one.row >= std::stoull(most)) {
        one.row = 0;
        const std::int64_t stated = duration_in(property("application.unschedasks.backoff.delay")).value_or(0);
        one.rests_until = now_ + (stated > 0 ? stated : 30'000'000'000);
        queues_.rests_begun += 1;
        saw("an application rests");
    }
}

bool OracleQueues::end_rests(std::int64_t now) {
    bool any = false;
    for (auto& [name, application] : applications) {
        if (application.rests_until <= now) {
            application.rests_until = INT64_MAX;
            application.row = 0;
            any = true;
        }
    }
    return any;
}

const Ask* Oracle::next_in_queues() const {
    queue_tree::NaiveTree tree = queues_.tree;
    if (tree.queues.empty()) {
        return nullptr;
    }
    const std::vector<std::uint64_t> sequences = fill_tree(tree);
    const std::optional<std::size_t> found = tree.next();
    return found ? &asks_.at(sequences[*found]) : nullptr;
}

bool Oracle::has_room_in_queues(const Ask& ask) const {
    queue_tree::NaiveTree tree = queues_.tree;
    const std::vector<std::uint64_t> sequences = fill_tree(tree);
    const auto at = std::find(sequences.begin(), sequences.end(), ask.sequence);
    return tree.has_room(tree.asks[static_cast<std::size_t>(at - sequences.begin())]);
}

}  // namespace bayplan::oracle
