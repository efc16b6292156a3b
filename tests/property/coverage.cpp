// What the histories covered.
//
// Thread and errors: see coverage.h.
#include "coverage.h"

#include <array>
#include <string_view>
#include <variant>

namespace bayplan::property {

namespace {

struct Rejection {
    DecisionKind kind;
    std::string_view begins;
    std::string_view ends;
};

// Every reason that src/engine/rules names, by item.
constexpr Rejection kRejections[] = {
    {DecisionKind::message_rejected, "a resync must begin first", ""},
    {DecisionKind::message_rejected, "no resync is open", ""},
    {DecisionKind::message_rejected, "dictionary id 0 is reserved", ""},
    {DecisionKind::message_rejected, "empty text", ""},
    {DecisionKind::message_rejected, "text is longer than 512 bytes", ""},
    {DecisionKind::message_rejected, "dictionary id ", " is defined already"},
    {DecisionKind::message_rejected, "dictionary is full", ""},
    {DecisionKind::message_rejected, "unknown dictionary id", ""},
    {DecisionKind::message_rejected, "no such allocation", ""},
    {DecisionKind::message_rejected, "queue configuration is set by", ""},
    {DecisionKind::message_rejected, "spec number 0 is reserved", ""},
    {DecisionKind::message_rejected, "unknown dictionary id #", ""},
    {DecisionKind::message_rejected, "label ", " is given twice"},
    {DecisionKind::message_rejected, "a term without a topology key", ""},
    {DecisionKind::message_rejected, "skew or domains below 1", ""},
    {DecisionKind::message_rejected, "a list of more than ", " entries"},
    {DecisionKind::message_rejected, "more than 4096 entries in all lists", ""},
    {DecisionKind::message_rejected, "weight outside 0 to 100", ""},
    {DecisionKind::message_rejected, "is defined already", ""},
    {DecisionKind::message_rejected, "more than ", " specs"},
    {DecisionKind::message_rejected, "more than ", " pod terms want one label"},
    {DecisionKind::message_rejected, "more than ", " topology keys"},
    {DecisionKind::message_rejected, "more than ", " bytes"},
    {DecisionKind::node_rejected, "more than ", " bytes"},
    {DecisionKind::application_rejected, "more than ", " bytes"},
    {DecisionKind::ask_rejected, "more than ", " bytes"},
    {DecisionKind::message_rejected, "unknown spec", ""},
    {DecisionKind::ask_rejected, "plugin ", " is not served by its shim"},
    {DecisionKind::ask_rejected, "pods that need plugins cannot be placed together", ""},
    {DecisionKind::message_rejected, "more than ", " objects"},
    {DecisionKind::node_rejected, "label ", " is given twice"},
    {DecisionKind::node_rejected, "unknown dictionary id", ""},
    {DecisionKind::node_rejected, "unknown dictionary id #", ""},
    {DecisionKind::node_rejected, "negative amount of ", ""},
    {DecisionKind::node_rejected, "amount of ", " is too large"},
    {DecisionKind::node_rejected, "", " is given twice"},
    {DecisionKind::node_rejected, "node exists already", ""},
    {DecisionKind::node_rejected, "no such node", ""},
    {DecisionKind::node_rejected, "more than ", " nodes"},
    {DecisionKind::node_rejected, "more than 4 kinds of devices", ""},
    {DecisionKind::node_rejected, "no capacity of ", ""},
    {DecisionKind::node_rejected, "capacity of ", " is not whole devices"},
    {DecisionKind::node_rejected, "more than 128 devices of ", ""},
    {DecisionKind::node_rejected, "devices ", " are given twice"},
    {DecisionKind::application_rejected, "unknown dictionary id", ""},
    {DecisionKind::application_rejected, "application exists already", ""},
    {DecisionKind::application_rejected, "more than ", " applications"},
    {DecisionKind::application_rejected, "unknown queue #", ""},
    {DecisionKind::application_rejected, "unknown group #", ""},
    {DecisionKind::application_rejected, "a list of more than 64 entries", ""},
    {DecisionKind::application_rejected, "no such application", ""},
    {DecisionKind::application_rejected, "no queues are configured yet", ""},
    {DecisionKind::application_rejected, "the application has no user", ""},
    {DecisionKind::application_rejected, "no placement rule matched", ""},
    {DecisionKind::application_rejected, "queue root.", ", which is a leaf"},
    {DecisionKind::ask_rejected, "empty key", ""},
    {DecisionKind::ask_rejected, "key is longer than 512 bytes", ""},
    {DecisionKind::ask_rejected, "unknown application #", ""},
    {DecisionKind::ask_rejected, "unknown dictionary id", ""},
    {DecisionKind::ask_rejected, "unknown dictionary id #", ""},
    {DecisionKind::ask_rejected, "unknown spec ", ""},
    {DecisionKind::ask_rejected, "scored amount is out of range", ""},
    {DecisionKind::ask_rejected, "devices cannot be read", ""},
    {DecisionKind::ask_rejected, "a list of more than 256 entries", ""},
    {DecisionKind::ask_rejected, "negative amount of ", ""},
    {DecisionKind::ask_rejected, "amount of ", " is too large"},
    {DecisionKind::ask_rejected, "", " is given twice"},
    {DecisionKind::ask_rejected, "key is in use by application ", ""},
    {DecisionKind::ask_rejected, "is placed already", ""},
    {DecisionKind::ask_rejected, "is placed on ", ""},
    {DecisionKind::ask_rejected, "more than ", " asks"},
    {DecisionKind::ask_rejected, "foreign pod without a node", ""},
    {DecisionKind::ask_rejected, "no such ask", ""},
    {DecisionKind::ask_rejected, "placeholders need queues", ""},
    {DecisionKind::ask_rejected, "a placeholder is in a task group without a minimum", ""},
    {DecisionKind::ask_rejected, "is a placeholder", ""},
    {DecisionKind::ask_rejected, "is no placeholder", ""},
    {DecisionKind::ask_rejected, "application ", " has failed"},
    {DecisionKind::application_rejected, "queue ", " sorts by shares, which gangs cannot be in"},
    {DecisionKind::application_rejected, "the gang asks for ", ""},
};

constexpr std::string_view kFailures[] = {"node(s) were unschedulable",
                                          "node(s) didn't match the requested node name",
                                          "Insufficient cpu",
                                          "Insufficient memory",
                                          "Insufficient ephemeral-storage",
                                          "Insufficient example.com/gpu",
                                          "Insufficient example.com/dev",
                                          "Too many pods",
                                          "no nodes available to schedule pods",
                                          "node(s) had untolerated taint(s)",
                                          "node(s) didn't match Pod's node affinity/selector",
                                          "node(s) didn't satisfy plugin(s) [NodeAffinity]",
                                          "pod affinity terms conflict",
                                          "node(s) didn't have free ports",
                                          "node(s) had no available disk",
                                          "ReadWriteOncePod access mode already in-use",
                                          "node(s) exceed max volume count",
                                          "not found",
                                          "waiting for ephemeral volume controller",
                                          "(pod is not owner)",
                                          "bound to non-existent persistentvolume ",
                                          "is being deleted",
                                          "asks for all devices, but resource pool",
                                          "CEL runtime error: no such key",
                                          "pod has unbound immediate PersistentVolumeClaims",
                                          "node(s) didn't match PersistentVolume's node affinity",
                                          "node(s) didn't find available persistent volumes",
                                          "node(s) did not have enough free storage",
                                          "node(s) had no available volume zone",
                                          "topology spread constraints (missing required label)",
                                          "node(s) didn't match pod topology spread constraints,",
                                          "node(s) didn't match pod affinity rules",
                                          "node(s) didn't match pod anti-affinity rules",
                                          "node(s) didn't satisfy existing pods anti-affinity"};

constexpr std::string_view kOther[] = {"place lines",
                                       "fail lines",
                                       "release lines",
                                       "nominate lines",
                                       "clear lines",
                                       "reserve lines",
                                       "unreserve lines",
                                       "connections resumed",
                                       "connections resynced",
                                       "connections cut",
                                       "shims over unacknowledged_max",
                                       "asks woken",
                                       "asks unacknowledged at the end",
                                       "asks in backoff at the end",
                                       "foreign pods at the end",
                                       "nodes over capacity at the end",
                                       "holds at the end",
                                       "nodes beyond the first block",
                                       "asks gated at the end",
                                       "asks waiting for their node at the end",
                                       "volumes given to claims at the end",
                                       "drained nodes at the end",
                                       "resyncs overdue"};

// Rules of preemption and nominations. Those that the oracle must look at twice to know that they
// decided stand apart.
constexpr std::string_view kRules[] = {"queried about one node",
                                       "queried about several nodes",
                                       "queried with totals",
                                       "placed by a verdict known before",
                                       "a query ends by an input",
                                       "a queried pod gives way",
                                       "a query without an answer",
                                       "an answer to no open query",
                                       "a faulty answer",
                                       "a plugin refuses the node",
                                       "a plugin confirms the node",
                                       "asked again, as the node has changed",
                                       "asked about victims",
                                       "a nomination that rested",
                                       "plugins let nobody go",
                                       "plugins let the first victims go",
                                       "plugins let a set of victims go",
                                       "devices as stated",
                                       "an application is complete",
                                       "an application that was complete begins anew",
                                       "an application goes where its tag says",
                                       "a forced application goes to the recovery queue",
                                       "an application is not forced, as its shim may not",
                                       "a filter keeps a rule from an application",
                                       "an application may not go to a queue",
                                       "tags change what a queue is guaranteed",
                                       "stated devices make no sense",
                                       "a placed pod has less",
                                       "a placed pod has more",
                                       "devices that do not fit",
                                       "share of a device",
                                       "whole devices",
                                       "other devices for what is kept",
                                       "devices of a running pod's kind",
                                       "early from backoff",
                                       "placed on the nominated node",
                                       "placed elsewhere",
                                       "scale up told",
                                       "scale up told later",
                                       "no scale up",
                                       "victim told",
                                       "victim terminates already",
                                       "victim of another shim",
                                       "taken from a budget",
                                       "lower nomination cleared",
                                       "lower nomination fits no longer",
                                       "lower nomination fits still",
                                       "nomination to another node",
                                       "nomination ends as no node is found",
                                       "victim stuck already",
                                       "victim told again",
                                       "victim became stuck",
                                       "nominated node gone",
                                       "nominated as stated",
                                       "woken as the stuck pod is gone",
                                       "its node came",
                                       "its node came from another shim",
                                       "its node came from a shim that does not let it in",
                                       "a pod is not placed by force on another shim's node",
                                       "an ask of a priority that its shim may not have",
                                       "an object of another shim is not changed",
                                       "goes on waiting for its node",
                                       "an attempt while a resync is open",
                                       "a resync has no time left",
                                       "a resync begins that holds nobody up",
                                       "a piece of a resync's begin",
                                       "a piece of a resync's end",
                                       "stated on another node than it waits for",
                                       "daemon pod placed at once",
                                       "daemon pod placed on its reserved node",
                                       "daemon pod by the ordinary rules",
                                       "too many have the node reserved",
                                       "nomination gives way to a daemon pod",
                                       "reservation: delay at once",
                                       "reservation: nothing-found at once",
                                       "reservation: expire",
                                       "an application starts as its placeholders are whole",
                                       "an ask takes over a placeholder",
                                       "an ask is left without a placeholder",
                                       "placeholders were not used in time",
                                       "a hard gang fails",
                                       "a soft gang resumes",
                                       "tried in its placeholder's place",
                                       "its placeholder's node is gone",
                                       "stated again while it waits for a placeholder",
                                       "does not wait for a placeholder any more",
                                       "an ask of an application that has failed",
                                       "a placeholder that was to go is refused",
                                       "a queue is over its maximum",
                                       "a queue shrinks",
                                       "a queue over its maximum finds nobody",
                                       "a queue is still over its maximum",
                                       "a leaf waits before it claims room",
                                       "an application rests",
                                       "an application has rested",
                                       "a row of failures ends"};
constexpr std::string_view kDecidingRules[] = {"refused beside nominated pods",
                                               "refused by another predicate beside nominated pods",
                                               "a node left out",
                                               "the avoided node after all",
                                               "another node than the avoided one",
                                               "beside an excluded node",
                                               "beside an excluded node, where other pods count",
                                               "the nominated node, though not the best",
                                               "not eligible due to preemptionPolicy=Never.",
                                               "not eligible due to a terminating pod on the nominated node.",
                                               "not eligible for an unmarked pod",
                                               "eligible again",
                                               "No preemption victims found",
                                               "Preemption is not helpful",
                                               "no node fits without its pool",
                                               "choice by violations",
                                               "choice by the highest priority",
                                               "choice by the sum of priorities",
                                               "choice by the number of victims",
                                               "choice by the start",
                                               "choice by the slot",
                                               "qos class in the order of victims",
                                               "budgets spare a pod",
                                               "trial faults of kubernetes-1.35"};

constexpr std::array kEvents = {"tick", "connect", "disconnect", "state", "acknowledge",
                                "hold", "drop",    "queues",     "run",   "sink"};
constexpr std::array kBodies = {"define",   "forget",  "nodes",         "applications", "asks",
                                "releases", "nacks",   "resync begin",  "resync end",   "configuration",
                                "specs",    "objects", "plugin answers"};
static_assert(kBodies.size() == std::variant_size_v<oracle::OwnedBody> && kEvents.size() == std::variant_size_v<Event>);

std::string label(const Rejection& one) {
    return "rejected, kind " + std::to_string(static_cast<int>(one.kind)) + ": " + std::string(one.begins) + ".." +
           std::string(one.ends);
}

std::string_view word(std::string_view line, int number) {
    for (; number > 0; --number) {
        line.remove_prefix(line.find(' ') + 1);
    }
    return line.substr(0, line.find(' '));
}

bool over_capacity(const oracle::Node& node) {
    for (const auto& [kind, amount] : node.used) {
        const auto capacity = node.capacity.find(kind);
        if (amount > (capacity == node.capacity.end() ? 0 : capacity->second)) {
            return true;
        }
    }
    return false;
}

}  // namespace

Coverage::Coverage(bool what_decides) {
    for (const Rejection& one : kRejections) {
        counts_[label(one)] = 0;
    }
    for (const std::string_view failure : kFailures) {
        counts_["failed: " + std::string(failure)] = 0;
    }
    for (const std::string_view other : kOther) {
        counts_[std::string(other)] = 0;
    }
    for (const std::string_view rule : kRules) {
        counts_["decided by rule: " + std::string(rule)] = 0;
    }
    if (what_decides) {
        for (const std::string_view rule : kDecidingRules) {
            counts_["decided by rule: " + std::string(rule)] = 0;
        }
        for (const std::string& name : oracle::kube_predicate_names()) {
            counts_["decided by predicate " + name] = 0;
        }
        for (const std::string& name : oracle::kube_score_names()) {
            counts_["decided by score " + name] = 0;
        }
    }
    expect_shapes();
    for (const char* event : kEvents) {
        counts_[std::string("event ") + event] = 0;
    }
    for (const char* body : kBodies) {
        counts_[std::string("message ") + body] = 0;
    }
}

void Coverage::add(const std::vector<Event>& events) {
    for (const Event& event : events) {
        count(std::string("event ") + kEvents[event.index()]);
        if (const auto* state = std::get_if<StateEvent>(&event)) {
            count(std::string("message ") + kBodies[state->body.index()]);
            count_shapes(*state);
        }
    }
}

void Coverage::count_decision(const oracle::NumberedDecision& decision) {
    for (const Rejection& one : kRejections) {
        const bool whole =
            one.ends.empty() && one.begins.back() != ' ' && one.begins.back() != '#' && !one.begins.ends_with("set by");
        const bool fits = decision.kind == one.kind && decision.text.starts_with(one.begins) &&
                          decision.text.ends_with(one.ends) && (!whole || decision.text == one.begins);
        count(label(one), fits ? 1 : 0);
    }
}

void Coverage::add(const oracle::Oracle& oracle) {
    for (const std::string& line : oracle.log()) {
        for (const char* kind : {"place", "fail", "release", "nominate", "clear", "reserve", "unreserve", "query",
                                 "deny", "permit", "reject"}) {
            count(std::string(kind) + " lines", kind == word(line, 2));
        }
        for (const std::string_view failure : kFailures) {
            count("failed: " + std::string(failure), line.find(failure) != std::string::npos);
        }
    }
    for (const auto& [id, story] : oracle.connections()) {
        count("connections resumed", story.outcome == HelloOutcome::resume);
        count("connections resynced", story.outcome == HelloOutcome::resync);
        count("connections cut", story.cut);
    }
    for (const auto& [name, shim] : oracle.shims()) {
        count("shims over unacknowledged_max", shim.must_resync);
        for (const oracle::NumberedDecision& decision : oracle.decisions(name)) {
            count_decision(decision);
        }
    }
    for (const auto& [name, node] : oracle.nodes()) {
        count("nodes over capacity at the end", over_capacity(node));
        count("nodes beyond the first block", node.slot >= 64);
        count("drained nodes at the end", !node.schedulable);
    }
    for (const auto& [sequence, ask] : oracle.asks()) {
        count("asks unacknowledged at the end", ask.state == oracle::AskState::unacknowledged);
        count("asks gated at the end", ask.state == oracle::AskState::gated);
        count("asks waiting for their node at the end", !ask.awaited_node.empty());
        count("volumes given to claims at the end", ask.bindings.size());
        count("asks in backoff at the end", ask.state == oracle::AskState::backoff);
        count("foreign pods at the end", ask.foreign);
    }
    for (const auto& [what, times] : oracle.decided_by()) {
        count("decided by " + what, times);
    }
    count_shapes(oracle);
    count("asks woken", oracle.counters().woken);
    count("resyncs overdue", oracle.counters().resyncs_overdue);
    count("holds at the end", oracle.holds().size());
}

std::vector<std::string> Coverage::never_seen() const {
    std::vector<std::string> out;
    for (const auto& [what, times] : counts_) {
        if (times == 0) {
            out.push_back(what);
        }
    }
    return out;
}

std::string Coverage::summary() const {
    std::string out;
    for (const auto& [what, times] : counts_) {
        out += "  " + std::to_string(times) + "  " + what + "\n";
    }
    return out;
}

}  // namespace bayplan::property
