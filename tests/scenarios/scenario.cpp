// Scenarios read line by line and played.
//
// Thread and errors: see scenario.h.
#include "scenario.h"

#include <deque>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "queue_lines.h"

namespace bayplan::scenarios {

namespace {

using property::StateEvent;

constexpr const char* kShim = "s";
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kAttempts = 100;

std::vector<std::string> words_of(const std::string& line) {
    std::istringstream in(line);
    std::vector<std::string> out;
    for (std::string word; in >> word;) {
        out.push_back(word);
    }
    return out;
}

// `key=value` words, and words alone with an empty value.
std::map<std::string, std::string> settings(const std::vector<std::string>& words, std::size_t from) {
    std::map<std::string, std::string> out;
    for (std::size_t i = from; i < words.size(); ++i) {
        const std::size_t equals = words[i].find('=');
        out[words[i].substr(0, equals)] = equals == std::string::npos ? "" : words[i].substr(equals + 1);
    }
    return out;
}

class Player {
public:
    explicit Player(const EngineOptions& options) : lockstep_(options) {
        step(property::ConnectEvent{kShim, 1, true, property::Received::last, 0, "license\n"});
        send(oracle::OwnedResyncBegin{});
        if (!options.queues) {
            send(oracle::OwnedApplications{{{id("application"), 0, 0}}, {}});
        }
        send(oracle::OwnedResyncEnd{});
    }

    void line(const std::string& text) {
        const std::vector<std::string> words = words_of(text);
        const std::string& verb = words.at(0);
        if (queues_line(text)) {
            return;
        }
        if (verb == "tick") {
            expect_no_more();
            step(property::TickEvent{std::int64_t(std::stod(words.at(1)) * double(kSecond))});
            step(property::RunEvent{kAttempts});
        } else if (verb == "then") {
            expect(text);
        } else if (verb == "queue") {
            make_queue(words);
        } else if (verb == "node") {
            make_node(words);
        } else if (verb == "runs" || verb == "foreign" || verb == "ask") {
            make_pod(words);
        } else if (verb == "gone") {
            send(oracle::OwnedReleases{{{words.at(1), 0}}});
        } else if (verb == "refused") {
            send(oracle::OwnedNacks{{words.at(1)}});
        } else if (verb == "answer") {
            answer(text);
        } else if (verb == "budget") {
            make_budget(words);
        } else {
            throw std::invalid_argument("not a line of a scenario: " + text);
        }
    }

    // Decisions that no line names.
    void expect_no_more() {
        if (told_ < log().size()) {
            note("is not in the text: " + log()[told_]);
        }
        told_ = log().size();
    }

    const std::string& trouble() const { return trouble_; }

private:
    const std::vector<std::string>& log() const { return lockstep_.oracle().log(); }

    void note(const std::string& what) { trouble_ = trouble_.empty() ? what : trouble_; }

    void step(const property::Event& event) {
        const std::string difference = lockstep_.step(event);
        if (!difference.empty()) {
            note("engine and oracle differ: " + difference);
        }
    }

    void send(oracle::OwnedBody body) { step(StateEvent{kShim, 0, false, std::move(body)}); }

    DictId id(const std::string& text) {
        const auto [at, added] = ids_.emplace(text, static_cast<DictId>(ids_.size() + 1));
        if (added) {
            send(oracle::OwnedDefine{{{at->second, text}}});
        }
        return at->second;
    }

    std::vector<Amount> amounts(const std::map<std::string, std::string>& from) {
        std::vector<Amount> out;
        for (const char* kind : {"cpu", "memory", "pods"}) {
            if (from.contains(kind)) {
                out.push_back({id(kind), std::stoll(from.at(kind))});
            }
        }
        return out;
    }

    // Of files, applications and what is to be seen of queues; false: it is not of those.
    bool queues_line(const std::string& text) {
        const std::size_t more = text.find(';');
        const std::string rest = more == std::string::npos ? "" : text.substr(more + 2);
        const std::vector<std::string> words = words_of(text.substr(0, more));
        const std::string& verb = words.at(0);
        const auto said = [&] { return settings(words, 2); };
        const IdOf id_of = [this](const std::string& one) { return id(one); };
        if (verb == "|") {
            file_ += " " + text.substr(1) + "\n";
        } else if (verb == "load") {
            load(words.size() > 1 && words[1] == "refused");
        } else if (verb == "application") {
            send(oracle::OwnedApplications{{application_said(words.at(1), said(), id_of)}, {}});
            note(application_differs(lockstep_.oracle(), words[1], rest));
        } else if (verb == "remove") {
            send(oracle::OwnedApplications{{}, {id(words.at(1))}});
        } else if (verb == "state") {
            note(state_differs(lockstep_.oracle(), words.at(1), words.at(2)));
        } else if (verb == "shows") {
            note(queue_differs(lockstep_, words.at(1), said()));
        } else if (verb == "waits") {
            note(wait_differs(lockstep_, words.at(1), rest));
        } else {
            return false;
        }
        return true;
    }

    void load(bool refused) {
        step(property::QueuesEvent{"partitions:\n- name: default\n" + std::exchange(file_, "")});
        if (lockstep_.engine().queues_fault().empty() == refused) {
            note("the file is " + std::string(refused ? "accepted" : lockstep_.engine().queues_fault()));
        }
    }

    // All queues so far are the configuration.
    void make_queue(const std::vector<std::string>& words) {
        const auto said = settings(words, 2);
        Queue& queue = queues_[words.at(1)];
        queue.parent = said.contains("in") ? said.at("in") : "";
        std::string properties;
        const auto add = [&](const char* word, const std::string& property) {
            if (said.contains(word)) {
                const std::string value = said.at(word).empty() ? "fence" : said.at(word);
                properties += (properties.empty() ? "" : ", ") + property + ": \"" + value + "\"";
            }
        };
        add("delay", "preemption.delay");
        add("policy", "preemption.policy");
        add("offset", "priority.offset");
        add("fenced", "priority.policy");
        queue.text =
            said.contains("guaranteed") ? ", resources: {guaranteed: {vcore: " + said.at("guaranteed") + "m}}" : "";
        queue.text += ", properties: {" + properties + "}";
        step(property::QueuesEvent{"partitions: [{name: default, queues: [{name: root, submitacl: \"*\"" +
                                   children_of("") + "}]}]\n"});
    }

    std::string children_of(const std::string& parent) const {
        std::string children;
        for (const auto& [name, queue] : queues_) {
            if (queue.parent == parent) {
                children += (children.empty() ? "" : ", ") + ("{name: " + name) + queue.text + children_of(name) + "}";
            }
        }
        return children.empty() ? "" : ", queues: [" + children + "]";
    }

    // Of the leaf, or of the partition.
    DictId application_of(const std::map<std::string, std::string>& said) {
        if (said.contains("of")) {
            return id(said.at("of"));
        }
        if (!said.contains("queue")) {
            return id("application");
        }
        const std::string& leaf = said.at("queue");
        const DictId application = id("application-of-" + leaf);
        if (applications_.insert(application).second) {
            std::string path = leaf;
            for (std::string above = queues_.at(leaf).parent; !above.empty(); above = queues_.at(above).parent) {
                path = above + "." + path;
            }
            const DictId queue = id("root." + path);
            send(oracle::OwnedApplications{{{application, queue, id("user")}}, {}});
        }
        return application;
    }

    void make_node(const std::vector<std::string>& words) {
        oracle::OwnedNode node;
        node.node = id(words.at(1));
        node.capacity = amounts(settings(words, 2));
        node.attributes = {{id("kubernetes.io/hostname"), node.node}};
        if (const auto said = settings(words, 2); said.contains("zone")) {
            node.attributes.push_back({id("topology.kubernetes.io/zone"), id(said.at("zone"))});
        }
        send(oracle::OwnedNodes{{node}});
    }

    LabelSelector of_app(const std::string& app) { return {{{id("app"), LabelOperator::in, {id(app)}}}}; }

    // Labels, terms and ports. Every pod with such words gets a spec of its own.
    SpecNumber spec(const std::map<std::string, std::string>& from) {
        PodSpec out;
        out.name_space = id("default");
        if (from.contains("app")) {
            out.labels.push_back({id("app"), id(from.at("app"))});
        }
        for (const char* word : {"apart", "near", "apart-in-zone"}) {
            if (from.contains(word)) {
                PodTerm term;
                term.selector = of_app(from.at(word));
                const bool zone = word == std::string("apart-in-zone");
                term.topology_key = id(zone ? "topology.kubernetes.io/zone" : "kubernetes.io/hostname");
                (word == std::string("near") ? out.affinity : out.anti_affinity).push_back(term);
            }
        }
        if (from.contains("port")) {
            out.ports.push_back({});
            out.ports.back().port = static_cast<std::uint16_t>(std::stoi(from.at("port")));
        }
        if (from.contains("plugin")) {
            out.plugins.push_back(id(from.at("plugin")));
        }
        send(oracle::OwnedSpecs{{{++specs_, out}}, {}});
        return specs_;
    }

    void make_pod(const std::vector<std::string>& words) {
        const auto said = settings(words, 2);
        const auto number = [&](const char* word, std::int64_t otherwise) {
            return said.contains(word) ? std::stoll(said.at(word)) : otherwise;
        };
        static const std::map<std::string, QosClass> classes = {{"best-effort", QosClass::best_effort},
                                                                {"burstable", QosClass::burstable},
                                                                {"guaranteed", QosClass::guaranteed}};
        oracle::OwnedAsk pod;
        pod.key = words.at(1);
        pod.application = application_of(said);
        pod.priority = static_cast<std::int32_t>(number("priority", 0));
        pod.requests = amounts(said);
        pod.spec = spec(said);
        pod.never_preempts = said.contains("never");
        pod.started_ms = number("started", 0);
        pod.grace_period_s = static_cast<std::int32_t>(number("grace", -1));
        pod.qos = said.contains("qos") ? classes.at(said.at("qos")) : QosClass::unknown;
        pod.foreign = words[0] == "foreign";
        pod.required_node = said.contains("needs") ? id(said.at("needs")) : 0;
        pod.daemonset = said.contains("daemonset");
        pod.is_static = said.contains("static");
        pod.never_victim = said.contains("opted-out");
        pod.originator = said.contains("owner");
        if (words[0] != "ask") {
            pod.node = id(words.at(3));
        }
        send(oracle::OwnedAsks{{pod}});
    }

    // `answer POD yes|no|never... [; the reason of all refusals]`
    void answer(const std::string& text) {
        static const std::map<std::string, PluginVerdict> verdicts = {{"yes", PluginVerdict::feasible},
                                                                      {"no", PluginVerdict::unschedulable},
                                                                      {"never", PluginVerdict::unresolvable}};
        const std::size_t more = text.find(';');
        const std::vector<std::string> words = words_of(text.substr(0, more));
        oracle::OwnedAnswer out;
        out.query = lockstep_.oracle().find_ask(kShim, words.at(1))->query;
        for (std::size_t i = 2; i < words.size(); ++i) {
            out.verdicts.push_back(verdicts.at(words[i]));
            if (more != std::string::npos) {
                out.reasons.emplace_back(static_cast<std::uint32_t>(i - 2), text.substr(more + 2));
            }
        }
        send(oracle::OwnedAnswers{{out}});
    }

    void make_budget(const std::vector<std::string>& words) {
        PodBudget budget{
            id("default"), id(words.at(1)), of_app(words.at(1)), std::stoi(settings(words, 2).at("allows")), {}};
        send(oracle::OwnedObjects{{{budget, false}}});
    }

    // `then KIND POD [NODE] [VICTIMS][; part of the reasons]`
    void expect(const std::string& text) {
        if (text == "then nothing") {
            return expect_no_more();
        }
        if (told_ >= log().size()) {
            return note("was not decided: " + text);
        }
        const std::string& line = log()[told_++];
        const std::vector<std::string> words = words_of(line);
        std::string shown = "then";
        for (std::size_t i = 2; i < 6; ++i) {
            shown += words.at(i) == "-" ? "" : " " + without_shim(words[i]);
        }
        const std::size_t more = text.find(';');
        const bool has_reason = more == std::string::npos || line.find(text.substr(more + 2)) != std::string::npos;
        if (shown != text.substr(0, more) || !has_reason) {
            note("expected: " + text + "\n   found: " + line);
        }
    }

    static std::string without_shim(std::string names) {
        for (std::size_t at = names.find("s/"); at != std::string::npos; at = names.find("s/")) {
            names.erase(at, 2);
        }
        return names;
    }

    struct Queue {
        std::string parent;
        std::string text;
    };

    property::Lockstep lockstep_;
    std::map<std::string, Queue> queues_;
    std::string file_;  // of queues, as far as it is written
    std::set<DictId> applications_;
    std::map<std::string, DictId> ids_;
    SpecNumber specs_ = 0;
    std::size_t told_ = 0;  // lines of the log that the text has named
    std::string trouble_;
};

// `daemonset strategy=single,multiple deviation=10 max=10 delay=30 expiry=3600 foreign`, in percent and seconds.
void take_daemonset_options(const std::map<std::string, std::string>& said, DaemonsetOptions& options) {
    static const std::map<std::string, VictimStrategies> strategies = {
        {"single,multiple", VictimStrategies::single_multiple},
        {"multiple,single", VictimStrategies::multiple_single},
        {"single", VictimStrategies::single},
        {"multiple", VictimStrategies::multiple}};
    if (said.contains("strategy")) {
        options.strategies = strategies.at(said.at("strategy"));
    }
    if (said.contains("deviation")) {
        options.single_deviation = std::stoll(said.at("deviation")) * kPercent;
    }
    if (said.contains("max")) {
        options.multiple_max = static_cast<std::uint32_t>(std::stoul(said.at("max")));
    }
    if (said.contains("delay")) {
        options.delay_ns = std::stoll(said.at("delay")) * kSecond;
    }
    if (said.contains("expiry")) {
        options.expiry_ns = std::stoll(said.at("expiry")) * kSecond;
    }
    options.foreign_victims = said.contains("foreign");
}

EngineOptions options_of(const std::string& text) {
    EngineOptions options;
    options.executor = ExecutorKind::inline_;
    options.preemption = PreemptionOptions::of(options.compat);
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        const auto words = words_of(line);
        if (words.empty() || words[0] != "options") {
            continue;
        }
        if (words.at(1) == "kubernetes-1.35") {
            options.compat = Compat::kubernetes_1_35;
            options.preemption = PreemptionOptions::of(options.compat);
        } else if (words[1] == "queues") {
            options.queues = true;
        } else if (words[1] == "daemonset") {
            take_daemonset_options(settings(words, 2), options.preemption.daemonset);
        }
    }
    return options;
}

}  // namespace

std::string played(const std::string& text) {
    Player player(options_of(text));
    std::istringstream in(text);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        const auto words = words_of(line);
        if (words.empty() || words[0][0] == '#' || words[0] == "options") {
            continue;
        }
        player.line(line);
        if (!player.trouble().empty()) {
            return "line " + std::to_string(number) + ": " + player.trouble();
        }
    }
    player.expect_no_more();
    return player.trouble();
}

}  // namespace bayplan::scenarios
