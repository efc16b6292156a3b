// Histories as readable text. The ids are shown with the texts that the dictionary gives them at
// that point, which an oracle that goes through the history knows.
//
// Thread and errors: see history.h.
#include <sstream>

#include "base/lines.h"
#include "feed.h"
#include "history.h"
#include "kube_text.h"

namespace bayplan::property {

namespace {

class Writer {
public:
    explicit Writer(const oracle::Oracle& oracle) : oracle_(oracle) {}

    std::string write(const Event& event, const Numbers& numbers) {
        out_.str("");
        std::visit([&](const auto& one) { line(one, numbers); }, event);
        return out_.str();
    }

private:
    void line(const TickEvent& event, const Numbers&) { out_ << "tick " << event.now_ns; }
    void line(const ConnectEvent& event, const Numbers& numbers) {
        out_ << "connect " << event.shim << " as connection " << numbers.connection << ", instance " << event.instance
             << (event.knows_daemon ? "" : ", of another daemon") << ", received " << numbers.number;
        for_each_line(event.plugins, [&](std::string_view name) { out_ << ", serves " << name; });
        out_ << (event.gives_claims_back ? ", gives claims back" : "");
        out_ << (event.judges_victims ? ", judges victims" : "");
    }
    void line(const DisconnectEvent& event, const Numbers& numbers) {
        out_ << "disconnect " << event.shim << ", connection " << numbers.connection;
    }
    void line(const AcknowledgeEvent& event, const Numbers& numbers) {
        out_ << "acknowledge by " << event.shim << " on connection " << numbers.connection << " up to "
             << numbers.number;
    }
    void line(const HoldEvent& event, const Numbers&) {
        out_ << "hold " << event.owner << " on " << event.node << ", kept from below " << event.kept_from_below << ":";
        for (const auto& [kind, amount] : event.amounts) {
            out_ << " " << kind << "=" << amount;
        }
    }
    void line(const DropEvent& event, const Numbers&) { out_ << "drop hold " << event.owner; }
    void line(const QueuesEvent& event, const Numbers&) { out_ << "queues\n" << event.text; }
    void line(const RunEvent& event, const Numbers&) { out_ << "run " << event.attempts_max; }
    void line(const SinkEvent& event, const Numbers&) {
        out_ << (event.refuses ? "the sink refuses" : "the sink accepts");
    }
    void line(const StateEvent& event, const Numbers& numbers) {
        shim_ = event.shim;
        out_ << event.shim << " on connection " << numbers.connection << ", message " << numbers.number;
        if (event.piece_steps != 0) {
            out_ << " in pieces of " << event.piece_steps;
        }
        out_ << ":";
        std::visit([&](const auto& body) { write_body(body); }, event.body);
    }

    void write_body(const oracle::OwnedDefine& body) {
        out_ << " define";
        for (const auto& [id, text] : body.entries) {
            out_ << " " << id << "=" << text;
        }
    }
    void write_body(const oracle::OwnedForget& body) {
        out_ << " forget";
        for (const DictId id : body.ids) {
            out_ << " " << name(id);
        }
    }
    void write_body(const oracle::OwnedNodes& body) {
        static const char* const actions[] = {"?",       "create",      "update", "drain", "decommission",
                                              "undrain", "create_drain"};
        for (const oracle::OwnedNode& node : body.nodes) {
            out_ << "\n        " << actions[static_cast<int>(node.action)] << " " << name(node.node);
            write_amounts(node.capacity);
            for (const Attribute& attribute : node.attributes) {
                out_ << " [" << name(attribute.key) << "=" << name(attribute.value) << "]";
            }
            for (const Taint& taint : node.taints) {
                out_ << " taint " << to_text(taint, names());
            }
            for (const DictId kind : node.devices) {
                out_ << " devices " << name(kind);
            }
            for (const Amount& image : node.images) {
                out_ << " image " << name(image.resource) << "=" << image.value;
            }
        }
    }
    void write_body(const oracle::OwnedApplications& body) {
        for (const oracle::OwnedApplication& add : body.add) {
            out_ << " add " << name(add.application) << " in queue " << name(add.queue) << " of " << name(add.user);
            for (const DictId group : add.user_groups) {
                out_ << " in group " << name(group);
            }
            if (!add.placeholder_ask.empty()) {
                out_ << " with placeholders, style " << static_cast<int>(add.gang_style) << " for "
                     << add.placeholder_timeout_ms << " ms,";
                write_amounts(add.placeholder_ask);
            }
            for (const Attribute& tag : add.tags) {
                out_ << " tagged " << name(tag.key) << "=" << name(tag.value);
            }
            out_ << ";";
        }
        for (const DictId id : body.remove) {
            out_ << " remove " << name(id) << ";";
        }
    }
    void write_body(const oracle::OwnedAsks& body) {
        for (const oracle::OwnedAsk& ask : body.asks) {
            out_ << "\n        ask '" << ask.key << "' of " << name(ask.application) << " priority " << ask.priority;
            out_ << (ask.created_s != 0 ? " created " + std::to_string(ask.created_s) : "");
            out_ << (ask.group != 0 ? " group " + name(ask.group) : "")
                 << (ask.group_min_available != 0 ? " of " + std::to_string(ask.group_min_available) : "")
                 << (ask.group_fault != GroupFault::none ? " faulty group" : "")
                 << (ask.group_topology_key != 0 ? " in one " + name(ask.group_topology_key) : "")
                 << (ask.group_topology_preferred ? " if possible" : "")
                 << (ask.node != 0 ? " on " + name(ask.node) : "")
                 << (ask.required_node != 0 ? " requires " + name(ask.required_node) : "")
                 << (ask.foreign ? " foreign" : "") << (ask.tolerates_unschedulable ? " tolerates" : "")
                 << (ask.terminating ? " terminating" : "") << (ask.preempted ? " preempted" : "")
                 << (ask.never_preempts ? " never preempts" : "") << (ask.daemonset ? " of a DaemonSet" : "")
                 << (ask.is_static ? " static" : "") << (ask.never_victim ? " opted out" : "")
                 << (ask.originator ? " owner" : "") << (ask.placeholder ? " placeholder" : "")
                 << (ask.nominated_node != 0 ? " nominated to " + name(ask.nominated_node) : "")
                 << (ask.spec != 0 ? " spec " + std::to_string(ask.spec) : "");
            write_amounts(ask.requests);
            for (const Attribute& tag : ask.tags) {
                out_ << " tag " << name(tag.key) << "=" << name(tag.value);
            }
            out_ << " scored " << ask.node_cpu << " " << ask.node_memory << " " << ask.own_cpu << " " << ask.own_memory
                 << " started " << ask.started_ms << " qos " << static_cast<int>(ask.qos) << " grace "
                 << ask.grace_period_s << (ask.devices.empty() ? "" : " devices '" + ask.devices + "'");
        }
    }
    void write_body(const oracle::OwnedReleases& body) {
        for (const oracle::OwnedRelease& release : body.releases) {
            out_ << " release '" << release.key << "' of " << name(release.application) << ";";
        }
    }
    void write_body(const oracle::OwnedNacks& body) {
        for (const std::string& key : body.keys) {
            out_ << " nack '" << key << "';";
        }
    }
    void write_body(const oracle::OwnedAnswers& body) {
        for (const oracle::OwnedAnswer& answer : body.answers) {
            out_ << "\n        answer to " << answer.query << (answer.lasting ? " lasting" : "");
            for (const PluginVerdict verdict : answer.verdicts) {
                out_ << " " << static_cast<int>(verdict);
            }
            if (answer.first_victims != 0) {
                out_ << " first " << answer.first_victims << " victims";
            }
            for (const std::uint32_t victim : answer.victims) {
                out_ << " victim " << victim;
            }
            for (const auto& [node, text] : answer.reasons) {
                out_ << " '" << text << "' for " << node;
            }
            out_ << (answer.failure.empty() ? "" : " failure '" + answer.failure + "'");
        }
    }
    void write_body(const oracle::OwnedResyncBegin&) { out_ << " resync begin"; }
    void write_body(const oracle::OwnedResyncEnd&) { out_ << " resync end"; }
    void write_body(const oracle::OwnedConfiguration&) { out_ << " configuration"; }
    void write_body(const oracle::OwnedSpecs& body) {
        for (const SpecItem& record : body.define) {
            out_ << "\n        spec " << record.number << to_text(record.spec, names());
        }
        for (const SpecNumber number : body.forget) {
            out_ << " forget spec " << number << ";";
        }
    }
    void write_body(const oracle::OwnedObjects& body) {
        for (const ObjectItem& record : body.objects) {
            out_ << "\n        " << to_text(record, names());
        }
    }

    void write_amounts(const std::vector<Amount>& amounts) {
        for (const Amount& amount : amounts) {
            out_ << " " << name(amount.resource) << "=" << amount.value;
        }
    }

    NameOf names() const {
        return [this](DictId id) { return name(id); };
    }

    std::string name(DictId id) const {
        const auto shim = oracle_.shims().find(shim_);
        if (shim != oracle_.shims().end() && shim->second.dictionary.contains(id)) {
            return shim->second.dictionary.at(id);
        }
        return id == 0 ? "-" : oracle::number_sign(id);
    }

    const oracle::Oracle& oracle_;
    std::string shim_;
    std::ostringstream out_;
};

std::string weights_of(const ScoreWeights& weights) {
    std::string out;
    for (const ScoreRow& row : kScoreRows) {
        out += (out.empty() ? "" : "/") + std::to_string(weights[row.id]);
    }
    return out;
}

std::string scored_of(const EngineOptions& options) {
    std::string out;
    for (const ScoredResource& one : options.score_resources) {
        out += " " + one.name + ":" + std::to_string(one.weight);
    }
    return out;
}

std::string score_of(const EngineOptions& options) {
    switch (options.score) {
        case ScorePolicy::least_allocated: return "least allocated";
        case ScorePolicy::most_allocated: return "most allocated";
        case ScorePolicy::requested_to_capacity_ratio: break;
    }
    std::string out = "requested to capacity ratio";
    for (const ScorePoint& point : options.score_shape) {
        out += " " + std::to_string(point.utilization) + ":" + std::to_string(point.score);
    }
    return out;
}

}  // namespace

namespace {

std::string rights_of(const EngineOptions& options) {
    std::string text;
    for (const ShimRights& rights : options.shim_rights) {
        text += ", " + rights.shim + " to priority " + std::to_string(rights.priority_max) +
                (rights.force ? " forces" : "") + (rights.change ? " changes" : "");
    }
    return text;
}

}  // namespace

std::string to_text(const EngineOptions& options) {
    std::ostringstream out;
    out << "credit_window " << options.credit_window << ", unacknowledged_max " << options.unacknowledged_max
        << ", dictionary_max " << options.dictionary_max << ", nodes_max " << options.nodes_max << ", applications_max "
        << options.applications_max << ", asks_max " << options.asks_max << ", backoff " << options.backoff_initial_ns
        << " to " << options.backoff_max_ns << " ns, score " << score_of(options) << " of" << scored_of(options)
        << ", specs_max " << options.specs_max << ", label_terms_max " << options.label_terms_max
        << ", topology_keys_max " << options.topology_keys_max << ", objects_max " << options.objects_max << ", compat "
        << (options.compat == Compat::bayplan ? "bayplan" : "kubernetes-1.35") << ", weights "
        << weights_of(options.weights) << ", predicates" << (options.predicates.empty() ? " all" : "");
    for (const std::string& name : options.predicates) {
        out << " " << name;
    }
    const PreemptionOptions& preemption = options.preemption;
    out << "; preemption " << (preemption.enabled ? "on" : "off")
        << (preemption.guarantee ? "" : ", none for guarantees") << ", victims by "
        << (preemption.victim_order == VictimOrder::qos ? "qos" : "start") << ", nominated node "
        << (preemption.nominated_node_first ? "first" : "like others") << ", lower nominations "
        << (preemption.lower_nominations == LowerNominations::clear ? "cleared" : "checked again") << ", again unless "
        << (preemption.preempt_again == PreemptAgain::any ? "any" : "a marked one") << " terminates, stuck after "
        << preemption.stuck_after_ns << " ns, retries " << preemption.victim_retries << ", backoff early "
        << options.backoff_early << ", avoid rejecting " << options.avoid_rejecting_ns << " ns, scale up from "
        << options.scale_up_cutoff << ", resync deadline " << options.resync_deadline_ns << " ns, bytes_max "
        << options.bytes_max << " and " << options.unacknowledged_bytes_max << " unacknowledged, "
        << (options.device_choice == DeviceChoice::fullest ? "fullest" : "emptiest") << " device"
        << (options.resize_in_place ? "" : ", no resize in place") << (options.allocation_tags ? "" : ", no tags")
        << (options.user_groups ? "" : ", no groups of users")
        << (options.application_tags ? "" : ", no tags of applications")
        << (options.forced_by_right ? "" : ", any shim forces applications") << ", applications complete after "
        << options.application_idle_ns << " ns" << (options.queues ? ", queues" : "") << ", plugins answer in "
        << options.plugins.deadline_ns << " ns, " << options.plugins.nodes << " nodes, " << options.plugins.queries_max
        << " queries, queues made " << options.made_queues_max << rights_of(options);
    out << ", gangs reserve after " << options.coscheduling.reserve_after_ns << " ns for "
        << options.coscheduling.reserve_for_ns << " ns";
    if (options.coscheduling.mode == Coscheduling::permit) {
        out << ", permit for " << options.coscheduling.permit_timeout_ns << " ns and "
            << options.coscheduling.permit_timeout_per_member_ns << " ns a member";
    }
    out << "; executor " << static_cast<int>(options.executor) << ", path " << static_cast<int>(options.path)
        << ", simd " << static_cast<int>(options.simd) << ", workers " << options.workers << ", shards "
        << options.shards << ", batch " << options.batch << ", depth " << options.depth << ", victim workers "
        << options.victim_workers << ", victim path " << static_cast<int>(options.victim_path) << ", teller "
        << static_cast<int>(options.teller) << " with " << options.teller_ring_bytes << " bytes, class caches of "
        << options.class_caches_bytes;
    return out.str();
}

std::string to_text(const History& history) {
    oracle::Oracle oracle(history.options);
    Connections connections;
    Writer writer(oracle);
    std::string text = "seed " + std::to_string(history.seed) + ": " + to_text(history.options) + "\n";
    for (std::size_t i = 0; i < history.events.size(); ++i) {
        const Event& event = history.events[i];
        const Numbers numbers = resolve(event, oracle, connections);
        text += "  " + std::to_string(i) + ": " + writer.write(event, numbers) + "\n";
        if (const auto* run = std::get_if<RunEvent>(&event)) {
            const std::size_t before = oracle.log().size();
            oracle.run(run->attempts_max);
            for (std::size_t line = before; line < oracle.log().size(); ++line) {
                text += "        -> " + oracle.log()[line] + "\n";
            }
        } else {
            feed(oracle, event, numbers, history.options);
        }
    }
    return text;
}

}  // namespace bayplan::property
