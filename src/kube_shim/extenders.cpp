// See extenders.h.
#include "kube_shim/extenders.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kube/document_reader.h"
#include "kube_shim/base64.h"

namespace bayplan::kube_shim {

namespace {

using scheduler_config::Extender;

constexpr const char* kScoredLower = "node(s) had lower scores by extenders than another";

// False: `error` says why.
bool read_pem(const Extender::Pem& from, std::string& pem, std::string& error) {
    if (!from.base64.empty()) {
        const std::optional<std::string> bytes = from_base64(from.base64);
        pem = bytes.value_or("");
        error = bytes ? "" : "its tlsConfig has data that is no base64";
        return bytes.has_value();
    }
    std::string why;
    if (!from.file.empty() && !kube::read_whole(from.file, pem, why)) {
        error = fmt::format("{}: {}", from.file, why);
        return false;
    }
    return true;
}

std::optional<ApiAccess> access_to(const Extender& extender, std::string& error) {
    ApiAccess access;
    access.server = extender.url;
    access.insecure = extender.insecure;
    const bool read = read_pem(extender.authority, access.authority, error) &&
                      read_pem(extender.certificate, access.certificate, error) &&
                      read_pem(extender.key, access.key, error);
    return read ? std::optional(std::move(access)) : std::nullopt;
}

}  // namespace

std::string plugin_of(const Extender& extender) { return "extender " + extender.url; }

bool is_plugin(const Extender& extender) {
    return !extender.filter_verb.empty() || !extender.preempt_verb.empty() || !extender.prioritize_verb.empty();
}

std::vector<std::string> plugins_of(const std::vector<Extender>& extenders) {
    std::vector<std::string> names;
    for (const Extender& one : extenders) {
        if (is_plugin(one)) {
            names.push_back(plugin_of(one));
        }
    }
    return names;
}

bool is_managed(const Extender& extender, const std::vector<std::string_view>& resources) {
    return extender.managed_resources.empty() || std::ranges::any_of(resources, [&](std::string_view resource) {
               return std::ranges::find(extender.managed_resources, resource) != extender.managed_resources.end();
           });
}

std::unique_ptr<Extenders> Extenders::open(const std::vector<Extender>& extenders, std::string& error) {
    auto made = std::make_unique<Extenders>();
    for (const Extender& one : extenders) {
        std::optional<ApiAccess> access = access_to(one, error);
        if (!access) {
            error = fmt::format("extender {}: {}", one.url, error);
            return nullptr;
        }
        made->extenders_.push_back({one, std::make_unique<HttpClient>(std::move(*access))});
    }
    return made;
}

void Extenders::filter(std::uint64_t query, const std::vector<std::string>& plugins, std::string pod,
                       std::vector<std::string> nodes, std::vector<std::int64_t> totals, const NodeText& node,
                       OnAnswer on_answer) {
    const auto filtering = std::make_shared<Filtering>();
    filtering->answer.query = query;
    filtering->answer.verdicts.assign(nodes.size(), {.feasible = true, .unresolvable = false, .reason = {}});
    filtering->pod = std::move(pod);
    filtering->nodes = std::move(nodes);
    if (totals.size() == filtering->nodes.size()) {
        filtering->totals = std::move(totals);
        filtering->scorers = chain_of(plugins, &Extender::prioritize_verb);
    }
    filtering->node = node;
    filtering->on_answer = std::move(on_answer);
    filtering->chain = chain_of(plugins, &Extender::filter_verb);
    ask_next(filtering);
}

// Extenders of the pod that have the verb.
std::vector<Extenders::One*> Extenders::chain_of(const std::vector<std::string>& plugins, std::string Extender::*verb) {
    std::vector<One*> chain;
    for (One& one : extenders_) {
        if (!(one.extender.*verb).empty() && std::ranges::find(plugins, plugin_of(one.extender)) != plugins.end()) {
            chain.push_back(&one);
        }
    }
    return chain;
}

void Extenders::preempt(std::uint64_t query, const std::vector<std::string>& plugins, std::string pod,
                        ExtenderVictims victims, OnAnswer on_answer) {
    const auto asking = std::make_shared<Preemption>();
    asking->query = query;
    asking->pod = std::move(pod);
    asking->victims = std::move(victims);
    asking->chain = chain_of(plugins, &Extender::preempt_verb);
    asking->on_answer = std::move(on_answer);
    ask_next(asking);
}

void Extenders::ask_next(const std::shared_ptr<Preemption>& asking) {
    if (asking->next >= asking->chain.size()) {
        asking->on_answer({.query = asking->query,
                           .verdicts = {{.feasible = true, .unresolvable = false, .reason = {}}},
                           .failure = {},
                           .victims = asking->victims.go});
        return;
    }
    const One& one = *asking->chain[asking->next++];
    one.http->start(preempt_request(one.extender, asking->pod, asking->victims),
                    [this, asking, &one](HttpAnswer&& answer) {
                        bool refused = false;
                        ExtenderVictims said = asking->victims;
                        const std::string fault = read_preempt_answer(answer, said, refused);
                        if (fault.empty() && !refused) {
                            asking->victims = std::move(said);
                        }
                        if (fault.empty() ? !refused : one.extender.ignorable) {
                            ask_next(asking);
                            return;
                        }
                        ExtenderAnswer ended{.query = asking->query, .verdicts = {}, .failure = {}};
                        if (fault.empty()) {
                            ended.verdicts.push_back({.feasible = false, .unresolvable = false, .reason = {}});
                        } else {
                            ended.failure = fmt::format("{}: {}", one.extender.url, fault);
                        }
                        asking->on_answer(ended);
                    });
}

// Nodes that the pod may have so far, by their places in the query.
std::vector<std::size_t> Extenders::left_of(const Filtering& filtering) {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < filtering.nodes.size(); ++i) {
        if (filtering.answer.verdicts[i].feasible) {
            left.push_back(i);
        }
    }
    return left;
}

std::vector<std::string> Extenders::names_of(const Filtering& filtering, const std::vector<std::size_t>& places) {
    std::vector<std::string> names;
    for (const std::size_t at : places) {
        names.push_back(filtering.nodes[at]);
    }
    return names;
}

void Extenders::ask_next(const Shared& filtering) {
    std::vector<std::size_t> asked = left_of(*filtering);
    if (filtering->next >= filtering->chain.size() || asked.empty() || !filtering->answer.failure.empty()) {
        score_next(filtering);
        return;
    }
    const std::vector<std::string> names = names_of(*filtering, asked);
    const One& one = *filtering->chain[filtering->next++];
    one.http->start(filter_request(one.extender, filtering->pod, names, filtering->node),
                    [this, filtering, &one, asked = std::move(asked)](HttpAnswer&& answer) {
                        take(filtering, one, asked, answer);
                    });
}

void Extenders::take(const Shared& filtering, const One& one, const std::vector<std::size_t>& asked,
                     const HttpAnswer& answer) {
    const std::vector<std::string> names = names_of(*filtering, asked);
    std::vector<FilterVerdict> verdicts;
    const std::string fault = read_filter_answer(answer, names, one.extender.takes_names, verdicts);
    if (fault.empty()) {
        for (std::size_t i = 0; i < asked.size(); ++i) {
            filtering->answer.verdicts[asked[i]] = std::move(verdicts[i]);
        }
    } else if (!one.extender.ignorable) {
        filtering->answer.failure = fmt::format("{}: {}", one.extender.url, fault);
    }
    ask_next(filtering);
}

// An extender without an answer has no say, as in kube-scheduler.
void Extenders::score_next(const Shared& filtering) {
    std::vector<std::size_t> asked = left_of(*filtering);
    if (asked.size() < 2 || filtering->next_score >= filtering->scorers.size() || !filtering->answer.failure.empty()) {
        choose(*filtering);
        filtering->on_answer(filtering->answer);
        return;
    }
    const std::vector<std::string> names = names_of(*filtering, asked);
    const One& one = *filtering->scorers[filtering->next_score++];
    one.http->start(prioritize_request(one.extender, filtering->pod, names, filtering->node),
                    [this, filtering, &one, names, asked = std::move(asked)](HttpAnswer&& answer) {
                        std::vector<std::int64_t> more(names.size());
                        if (add_scores(answer, one.extender, names, more).empty()) {
                            for (std::size_t i = 0; i < asked.size(); ++i) {
                                filtering->totals[asked[i]] += more[i];
                            }
                        }
                        score_next(filtering);
                    });
}

// Of nodes with the highest total the first, which the partition would have taken.
void Extenders::choose(Filtering& filtering) {
    if (filtering.scorers.empty() || !filtering.answer.failure.empty()) {
        return;
    }
    const std::vector<std::size_t> left = left_of(filtering);
    const auto best = std::ranges::max_element(left, {}, [&](std::size_t at) { return filtering.totals[at]; });
    for (auto at = left.begin(); at != left.end(); ++at) {
        if (at != best) {
            filtering.answer.verdicts[*at] = {.feasible = false, .unresolvable = true, .reason = kScoredLower};
        }
    }
}

bool Extenders::bind(const std::vector<std::string_view>& resources, const PodName& pod, std::string_view node,
                     HttpClient::OnAnswer on_answer) {
    for (const One& one : extenders_) {
        if (!one.extender.bind_verb.empty() && is_managed(one.extender, resources)) {
            one.http->start(extender_bind_request(one.extender, pod, node),
                            [on_answer = std::move(on_answer)](HttpAnswer&& answer) {
                                on_answer(read_bind_answer(std::move(answer)));
                            });
            return true;
        }
    }
    return false;
}

bool Extenders::turn() {
    bool moved = false;
    for (const One& one : extenders_) {
        moved = one.http->turn(std::chrono::milliseconds(0)) || moved;
    }
    return moved;
}

std::size_t Extenders::running() const {
    std::size_t running = 0;
    for (const One& one : extenders_) {
        running += one.http->running();
    }
    return running;
}

}  // namespace bayplan::kube_shim
