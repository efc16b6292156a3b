// Inputs that own their texts and arrays, for tests that build, keep, print or drop them.
// `Borrowed` turns one into the plain records that an engine takes.
//
// Thread: plain data. Ownership: a Borrowed points into the message it was made from and into
// itself.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bayplan/messages.h"

namespace bayplan::oracle {

struct OwnedNode {
    DictId node = 0;
    NodeAction action = NodeAction::create;
    std::vector<Amount> capacity = {};
    std::vector<Attribute> attributes = {};
    std::vector<Taint> taints = {};
    std::vector<Amount> images = {};
    std::vector<DictId> devices = {};
};

struct OwnedAsk {
    std::string key;
    DictId application = 0;
    DictId group = 0;
    std::uint32_t group_min_available = 0;
    GroupFault group_fault = GroupFault::none;
    DictId group_topology_key = 0;
    bool group_topology_preferred = false;
    DictId node = 0;
    DictId required_node = 0;
    std::int32_t priority = 0;
    std::int64_t created_s = 0;
    bool foreign = false;
    bool tolerates_unschedulable = false;
    std::vector<Amount> requests = {};
    std::vector<Attribute> tags = {};
    SpecNumber spec = 0;
    bool terminating = false;
    bool never_preempts = false;
    DictId nominated_node = 0;
    std::int64_t started_ms = 0;
    std::int64_t node_cpu = -1;
    std::int64_t node_memory = -1;
    std::int64_t own_cpu = -1;
    std::int64_t own_memory = -1;
    QosClass qos = QosClass::unknown;
    std::int32_t grace_period_s = -1;
    bool preempted = false;
    std::string devices = {};
    bool daemonset = false;
    bool is_static = false;
    bool never_victim = false;
    bool originator = false;
    bool placeholder = false;
};

struct OwnedRelease {
    std::string key;
    DictId application = 0;
};

struct OwnedDefine {
    std::vector<std::pair<DictId, std::string>> entries = {};
};
struct OwnedForget {
    std::vector<DictId> ids = {};
};
struct OwnedNodes {
    std::vector<OwnedNode> nodes = {};
};
struct OwnedApplication {
    DictId application = 0;
    DictId queue = 0;
    DictId user = 0;
    std::vector<DictId> user_groups = {};
    std::vector<Amount> placeholder_ask = {};
    GangStyle gang_style = GangStyle::unknown;
    std::int64_t placeholder_timeout_ms = 0;
    std::vector<Attribute> tags = {};
};
struct OwnedApplications {
    std::vector<OwnedApplication> add = {};
    std::vector<DictId> remove = {};
};
struct OwnedAsks {
    std::vector<OwnedAsk> asks = {};
};
struct OwnedReleases {
    std::vector<OwnedRelease> releases = {};
};
struct OwnedNacks {
    std::vector<std::string> keys = {};
};
struct OwnedResyncBegin {};
struct OwnedResyncEnd {};
struct OwnedConfiguration {
    std::string text;
};
struct OwnedSpecs {
    std::vector<SpecItem> define = {};
    std::vector<SpecNumber> forget = {};
};
struct OwnedObjects {
    std::vector<ObjectItem> objects = {};
};

struct OwnedAnswer {
    std::uint64_t query = 0;
    std::vector<PluginVerdict> verdicts = {};
    std::vector<std::pair<std::uint32_t, std::string>> reasons = {};  // by node
    std::string failure = {};
    bool lasting = false;
    std::uint32_t first_victims = 0;
    std::vector<std::uint32_t> victims = {};
};
struct OwnedAnswers {
    std::vector<OwnedAnswer> answers = {};
};

using OwnedBody =
    std::variant<OwnedDefine, OwnedForget, OwnedNodes, OwnedApplications, OwnedAsks, OwnedReleases, OwnedNacks,
                 OwnedResyncBegin, OwnedResyncEnd, OwnedConfiguration, OwnedSpecs, OwnedObjects, OwnedAnswers>;

class Borrowed {
public:
    explicit Borrowed(const OwnedBody& owned);
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;

    const StateBody& body() const { return body_; }

private:
    StateBody borrow(const OwnedDefine&);
    StateBody borrow(const OwnedForget&);
    StateBody borrow(const OwnedNodes&);
    StateBody borrow(const OwnedApplications&);
    StateBody borrow(const OwnedAsks&);
    StateBody borrow(const OwnedReleases&);
    StateBody borrow(const OwnedNacks&);
    StateBody borrow(const OwnedResyncBegin&);
    StateBody borrow(const OwnedResyncEnd&);
    StateBody borrow(const OwnedConfiguration&);
    StateBody borrow(const OwnedSpecs&);
    StateBody borrow(const OwnedObjects&);
    StateBody borrow(const OwnedAnswers&);

    std::vector<DictEntry> entries_;
    std::vector<NodeItem> nodes_;
    std::vector<ApplicationItem> applications_;
    std::vector<AskItem> asks_;
    std::vector<ReleaseItem> releases_;
    std::vector<NackItem> nacks_;
    std::vector<PluginAnswer> answers_;
    std::vector<std::vector<PluginReason>> reasons_;
    StateBody body_;
};

}  // namespace bayplan::oracle
