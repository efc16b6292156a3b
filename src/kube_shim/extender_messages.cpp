// See extender_messages.h.
#include "kube_shim/extender_messages.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "kube/trimmed_json.h"

namespace bayplan::kube_shim {

namespace {

namespace json = boost::json;

constexpr int kOk = 200;
constexpr int kRefused = 422;
// Extenders' scores go to 10, the scores of plugins to 100.
constexpr std::int64_t kScoreInTotal = 10;
constexpr std::int64_t kScoreMax = 1'000'000'000;

HttpRequest post(const scheduler_config::Extender& extender, const std::string& verb, std::string body) {
    HttpRequest made;
    made.method = "POST";
    made.path = "/" + verb;
    made.body = std::move(body);
    made.content_type = "application/json";
    made.timeout = extender.timeout;
    return made;
}

bool same_name(std::string_view one, std::string_view other) {
    return std::ranges::equal(one, other,
                              [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

// Go's decoder takes a name in any case. Null: it is missing, or null.
const json::value* member(const json::value& from, std::string_view name) {
    const json::object* const object = from.if_object();
    if (object == nullptr) {
        return nullptr;
    }
    for (const json::key_value_pair& one : *object) {
        if (same_name(one.key(), name)) {
            return one.value().is_null() ? nullptr : &one.value();
        }
    }
    return nullptr;
}

std::string text_in(const json::value* value) {
    return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

// Empty: `answer` has the object.
std::string parsed(const HttpAnswer& http, json::value& answer) {
    if (!http.error.empty()) {
        return http.error;
    }
    if (http.status != kOk) {
        return fmt::format("status {}", http.status);
    }
    boost::system::error_code broken;
    answer = json::parse(http.body, broken);
    if (broken || !answer.is_object()) {
        return "its answer is no JSON object";
    }
    return text_in(member(answer, "Error"));
}

class FilterReader {
public:
    FilterReader(std::span<const std::string> nodes, std::vector<FilterVerdict>& verdicts)
        : nodes_(nodes), verdicts_(verdicts) {
        verdicts_.assign(nodes.size(), {});
    }

    std::string read(const json::value& answer, bool takes_names) {
        const json::value* const names = takes_names ? member(answer, "NodeNames") : nullptr;
        if (names != nullptr) {
            read_names(*names);
        } else if (const json::value* const list = member(answer, "Nodes")) {
            read_nodes(*list);
        }
        read_refused(member(answer, "FailedNodes"), false);
        read_refused(member(answer, "FailedAndUnresolvableNodes"), true);
        return fault_;
    }

private:
    FilterVerdict* verdict_of(std::string_view node) {
        const auto found = std::ranges::find(nodes_, node);
        return found == nodes_.end() ? nullptr : &verdicts_[static_cast<std::size_t>(found - nodes_.begin())];
    }
    void pass(std::string_view node) {
        if (FilterVerdict* const verdict = verdict_of(node)) {
            verdict->feasible = true;
        } else {
            fault_ = fmt::format("it names node {}, which it was not asked about", node);
        }
    }
    void read_names(const json::value& names) {
        if (!names.is_array()) {
            fault_ = "NodeNames is no list";
            return;
        }
        for (const json::value& name : names.as_array()) {
            pass(text_in(&name));
        }
    }
    void read_nodes(const json::value& list) {
        const json::value* const items = member(list, "items");
        if (items == nullptr || !items->is_array()) {
            return;
        }
        for (const json::value& node : items->as_array()) {
            const json::value* const metadata = member(node, "metadata");
            pass(metadata == nullptr ? std::string() : text_in(member(*metadata, "name")));
        }
    }
    // Other nodes' entries mean nothing, as to kube-scheduler.
    void read_refused(const json::value* nodes, bool unresolvable) {
        if (nodes == nullptr || !nodes->is_object()) {
            return;
        }
        for (const json::key_value_pair& one : nodes->as_object()) {
            FilterVerdict* const verdict = verdict_of(one.key());
            if (verdict != nullptr && !verdict->feasible) {
                verdict->unresolvable = unresolvable;
                verdict->reason = text_in(&one.value());
            }
        }
    }

    std::span<const std::string> nodes_;
    std::vector<FilterVerdict>& verdicts_;
    std::string fault_;
};

}  // namespace

namespace {

// The arguments of a filter, and of scores.
std::string pod_and_nodes(const scheduler_config::Extender& extender, std::string_view pod,
                          std::span<const std::string> nodes,
                          const std::function<std::string(const std::string& name)>& node) {
    std::string body = R"({"Pod":)" + std::string(pod);
    body += extender.takes_names ? R"(,"Nodes":null,"NodeNames":[)" : R"(,"NodeNames":null,"Nodes":{"items":[)";
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        body += i == 0 ? "" : ",";
        if (extender.takes_names) {
            kube::append_json_text(body, nodes[i]);
        } else {
            body += node(nodes[i]);
        }
    }
    body += extender.takes_names ? "]}" : "]}}";
    return body;
}

}  // namespace

HttpRequest filter_request(const scheduler_config::Extender& extender, std::string_view pod,
                           std::span<const std::string> nodes,
                           const std::function<std::string(const std::string& name)>& node) {
    return post(extender, extender.filter_verb, pod_and_nodes(extender, pod, nodes, node));
}

HttpRequest prioritize_request(const scheduler_config::Extender& extender, std::string_view pod,
                               std::span<const std::string> nodes,
                               const std::function<std::string(const std::string& name)>& node) {
    return post(extender, extender.prioritize_verb, pod_and_nodes(extender, pod, nodes, node));
}

// Entries of other nodes mean nothing, as to kube-scheduler.
std::string add_scores(const HttpAnswer& http, const scheduler_config::Extender& extender,
                       std::span<const std::string> nodes, std::span<std::int64_t> totals) {
    if (!http.error.empty() || http.status != kOk) {
        return http.error.empty() ? fmt::format("status {}", http.status) : http.error;
    }
    boost::system::error_code broken;
    const json::value answer = json::parse(http.body, broken);
    if (broken || !answer.is_array()) {
        return "its answer is no JSON list";
    }
    for (const json::value& one : answer.as_array()) {
        const json::value* const score = member(one, "Score");
        if (score != nullptr && !score->is_int64()) {
            return "it has a score that is no whole number";
        }
        const auto found = std::ranges::find(nodes, text_in(member(one, "Host")));
        if (found != nodes.end() && score != nullptr) {
            totals[static_cast<std::size_t>(found - nodes.begin())] +=
                std::clamp(score->as_int64(), -kScoreMax, kScoreMax) * extender.weight * kScoreInTotal;
        }
    }
    return {};
}

std::string read_filter_answer(const HttpAnswer& http, std::span<const std::string> nodes, bool takes_names,
                               std::vector<FilterVerdict>& verdicts) {
    json::value answer;
    if (std::string fault = parsed(http, answer); !fault.empty()) {
        return fault;
    }
    return FilterReader(nodes, verdicts).read(answer, takes_names);
}

HttpRequest preempt_request(const scheduler_config::Extender& extender, std::string_view pod,
                            const ExtenderVictims& victims) {
    const bool by_uid = extender.takes_names;
    std::string body = R"({"Pod":)" + std::string(pod);
    body += by_uid ? R"(,"NodeNameToVictims":null,"NodeNameToMetaVictims":{)"
                   : R"(,"NodeNameToMetaVictims":null,"NodeNameToVictims":{)";
    kube::append_json_text(body, victims.node);
    body += R"(:{"Pods":[)";
    const char* separator = "";
    for (const std::uint32_t at : victims.go) {
        body += separator;
        separator = ",";
        if (by_uid) {
            body += R"({"UID":)";
            kube::append_json_text(body, victims.offered[at].uid);
            body += "}";
        } else {
            body += victims.offered[at].object;
        }
    }
    body += fmt::format(R"(],"NumPDBViolations":{}}}}}}})", victims.violations);
    return post(extender, extender.preempt_verb, std::move(body));
}

namespace {

// Pods by UID, in the order of the answer; each once.
std::string read_uids(const json::value& pods, ExtenderVictims& victims) {
    std::vector<std::uint32_t> go;
    for (const json::value& pod : pods.as_array()) {
        const std::string uid = text_in(member(pod, "UID"));
        const auto found = std::ranges::find(victims.offered, uid, &ExtenderVictim::uid);
        if (uid.empty() || found == victims.offered.end()) {
            return fmt::format("it names pod {} on node {}, which may not go", uid, victims.node);
        }
        const auto at = static_cast<std::uint32_t>(found - victims.offered.begin());
        if (std::ranges::find(go, at) == go.end()) {
            go.push_back(at);
        }
    }
    victims.go = std::move(go);
    return victims.go.empty() ? fmt::format("it names no pod on node {}", victims.node) : std::string();
}

}  // namespace

std::string read_preempt_answer(const HttpAnswer& http, ExtenderVictims& victims, bool& refused) {
    json::value answer;
    if (std::string fault = parsed(http, answer); !fault.empty()) {
        return fault;
    }
    refused = true;
    const json::value* const nodes = member(answer, "NodeNameToMetaVictims");
    if (nodes == nullptr) {
        return {};
    }
    if (!nodes->is_object()) {
        return "NodeNameToMetaVictims is no object";
    }
    for (const json::key_value_pair& one : nodes->as_object()) {
        if (std::string_view(one.key()) != victims.node) {
            return fmt::format("it names node {}, which it was not asked about", std::string_view(one.key()));
        }
        refused = false;
        const json::value* const pods = member(one.value(), "Pods");
        if (pods == nullptr || !pods->is_array()) {
            return fmt::format("it names no pod on node {}", victims.node);
        }
        if (std::string fault = read_uids(*pods, victims); !fault.empty()) {
            return fault;
        }
        const json::value* const violations = member(one.value(), "NumPDBViolations");
        victims.violations = violations != nullptr && violations->is_int64() ? violations->as_int64() : 0;
    }
    return {};
}

HttpRequest extender_bind_request(const scheduler_config::Extender& extender, const PodName& pod,
                                  std::string_view node) {
    const std::size_t slash = pod.key.find('/');
    const json::value body = {{"PodName", pod.key.substr(slash + 1)},
                              {"PodNamespace", pod.key.substr(0, slash)},
                              {"PodUID", pod.uid},
                              {"Node", node}};
    return post(extender, extender.bind_verb, json::serialize(body));
}

HttpAnswer read_bind_answer(HttpAnswer&& http) {
    if (!http.ok()) {
        return std::move(http);
    }
    json::value answer;
    const std::string fault = parsed(http, answer);
    http.status = fault.empty() ? kOk : kRefused;
    http.body = fault.empty() ? std::string() : json::serialize(json::value{{"message", fault}});
    return std::move(http);
}

}  // namespace bayplan::kube_shim
