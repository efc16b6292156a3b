// See scripted_daemon.h.
#include "scripted_daemon.h"

#include <stdexcept>

#include <fmt/format.h>

#include "base/visit_texts.h"
#include "certificates.h"

namespace bayplan::testing {

ScriptedDaemon::ScriptedDaemon() {
    dataplane::DataPlaneOptions options;
    options.kernel.address = "127.0.0.1";
    options.transport.tls = tls_of("server");
    std::string error;
    plane_ = dataplane::open_data_plane(options, *this, error);
    if (plane_ == nullptr) {
        throw std::runtime_error(error);
    }
}

void ScriptedDaemon::on_open(dataplane::DataPlane&, ConnectionId id, const dataplane::Peer&) { connection_ = id; }

void ScriptedDaemon::on_close(dataplane::DataPlane&, ConnectionId, std::string_view) { ++closed; }

void ScriptedDaemon::on_refused(std::string_view, std::string_view why) {
    faults.push_back(fmt::format("refused: {}", why));
}

bool ScriptedDaemon::on_frame(dataplane::DataPlane&, ConnectionId id, dataplane::Stream stream,
                              dataplane::Frame& frame) {
    if (id != connection_) {
        return true;
    }
    if (stream == dataplane::Stream::state && !reading_) {
        return false;
    }
    std::string error;
    if (!decoded_.decode(frame.bytes(), wire::Limits{}, error)) {
        faults.push_back(error);
        return true;
    }
    const wire::Message& message = decoded_.message();
    if (const auto* hello = std::get_if<wire::Hello>(&message)) {
        hellos.push_back({std::string(hello->partition), hello->shim_instance, hello->daemon_instance,
                          hello->decisions_received, hello->features});
        if (when_greeted) {
            when_greeted(hellos.back());
        }
    } else if (const auto* state_frame = std::get_if<wire::StateFrame>(&message)) {
        take_state(*state_frame);
    } else if (const auto* acknowledge = std::get_if<wire::AcknowledgeFrame>(&message)) {
        acknowledged.push_back(acknowledge->up_to);
    } else {
        faults.push_back("a message for shims");
    }
    return true;
}

// --- saying

void ScriptedDaemon::reply(HelloReply answer) {
    if (answer.outcome == HelloOutcome::resync) {
        dictionary_.clear();
        last_sequence = 0;
    }
    plane_->send(connection_, dataplane::Stream::control, encoder_.encode(answer));
}

bool ScriptedDaemon::decide(std::uint64_t first_sequence, std::uint64_t state_applied,
                            const std::vector<Decision>& decisions) {
    return plane_->send(connection_, dataplane::Stream::decisions,
                        encoder_.encode(wire::DecisionsFrame{first_sequence, state_applied, decisions}));
}

bool ScriptedDaemon::applied(std::uint64_t up_to) {
    return plane_->send(connection_, dataplane::Stream::decisions, encoder_.encode(wire::StateAppliedFrame{up_to}));
}

void ScriptedDaemon::hang_up(std::uint64_t code) { plane_->close(connection_, code, "the test hangs up"); }

// --- hearing

void ScriptedDaemon::take_state(const wire::StateFrame& frame) {
    if (frame.sequence != last_sequence + 1) {
        faults.push_back(fmt::format("sequence {} after {}", frame.sequence, last_sequence));
    }
    last_sequence = frame.sequence;
    state.push_back(fmt::format("{} {}", frame.sequence, describe(frame.body)));
}

std::string ScriptedDaemon::text(DictId id) {
    if (id == 0) {
        return "-";
    }
    const auto found = dictionary_.find(id);
    if (found == dictionary_.end()) {
        faults.push_back(fmt::format("unknown dictionary id {}", id));
        return "?";
    }
    return found->second;
}

// Every text of a spec or an object, in the order of its fields.
template <typename Record>
std::string ScriptedDaemon::texts(const Record& record) {
    std::string all;
    visit_texts(record, [&](const Text& id) { all += (all.empty() ? "" : ",") + text(id); });
    return all;
}

std::string ScriptedDaemon::describe(const NodeItem& node) {
    std::string out = fmt::format(" {}:{}", text(node.node), static_cast<int>(node.action));
    for (const Amount& amount : node.capacity) {
        out += fmt::format(",{}={}", text(amount.resource), amount.value);
    }
    for (const Attribute& label : node.attributes) {
        out += fmt::format(",{}:{}", text(label.key), text(label.value));
    }
    for (const Taint& taint : node.taints) {
        out += fmt::format(",!{}:{}:{}", text(taint.key), text(taint.value), static_cast<int>(taint.effect));
    }
    for (const Amount& image : node.images) {
        out += fmt::format(",@{}={}", text(image.resource), image.value);
    }
    return out;
}

std::string ScriptedDaemon::describe(const AskItem& ask) {
    std::string out = fmt::format(" {}:{}:{}", ask.key, text(ask.application), text(ask.node));
    for (const Amount& amount : ask.requests) {
        out += fmt::format(",{}={}", text(amount.resource), amount.value);
    }
    if (ask.spec != 0) {
        out += fmt::format(" spec={} terminating={} never={} nominated={} started={} scored={}/{}/{}/{}", ask.spec,
                           ask.terminating, ask.never_preempts, text(ask.nominated_node), ask.started_ms, ask.node_cpu,
                           ask.node_memory, ask.own_cpu, ask.own_memory);
    }
    if (ask.group != 0 || ask.group_fault != GroupFault::none) {
        out += fmt::format(" group={} of {} in one {}{} fault={}", text(ask.group), ask.group_min_available,
                           text(ask.group_topology_key), ask.group_topology_preferred ? " if possible" : "",
                           static_cast<int>(ask.group_fault));
    }
    return out;
}

std::string ScriptedDaemon::describe(const StateBody& body) {
    std::string out;
    if (const auto* define = std::get_if<DefineMessage>(&body)) {
        out = "define";
        for (const DictEntry& entry : define->entries) {
            if (!dictionary_.emplace(entry.id, entry.text).second) {
                faults.push_back(fmt::format("id {} defined twice", entry.id));
            }
            out += fmt::format(" {}", entry.text);
        }
    } else if (const auto* forget = std::get_if<ForgetMessage>(&body)) {
        out = "forget";
        for (const DictId id : forget->ids) {
            out += " " + text(id);
            dictionary_.erase(id);
        }
    } else if (const auto* nodes = std::get_if<NodesMessage>(&body)) {
        out = "nodes";
        for (const NodeItem& node : nodes->nodes) {
            out += describe(node);
        }
    } else if (const auto* applications = std::get_if<ApplicationsMessage>(&body)) {
        out = "applications";
        for (const ApplicationItem& one : applications->add) {
            out += fmt::format(" +{}:{}", text(one.application), text(one.queue));
            for (const DictId group : one.user_groups) {
                out += "/" + text(group);
            }
            for (const Attribute& tag : one.tags) {
                out += fmt::format(" {}={}", text(tag.key), text(tag.value));
            }
        }
        for (const DictId id : applications->remove) {
            out += " -" + text(id);
        }
    } else if (const auto* asks = std::get_if<AsksMessage>(&body)) {
        out = "asks";
        for (const AskItem& ask : asks->asks) {
            out += describe(ask);
        }
    } else if (const auto* releases = std::get_if<ReleasesMessage>(&body)) {
        out = "releases";
        for (const ReleaseItem& release : releases->releases) {
            out += fmt::format(" {}", release.key);
        }
    } else if (const auto* nacks = std::get_if<NacksMessage>(&body)) {
        out = "nacks";
        for (const NackItem& nack : nacks->nacks) {
            out += fmt::format(" {}:{}", nack.key, nack.reason);
        }
    } else if (const auto* specs = std::get_if<SpecsMessage>(&body)) {
        out = "specs";
        for (const SpecItem& record : specs->define) {
            out += fmt::format(" {}:{}", record.number, texts(record.spec));
        }
        for (const SpecNumber number : specs->forget) {
            out += fmt::format(" -{}", number);
        }
    } else if (const auto* objects = std::get_if<ObjectsMessage>(&body)) {
        out = "objects";
        for (const ObjectItem& record : objects->objects) {
            out += fmt::format(" {}{}:{}", record.removed ? "-" : "+", record.object.index(), texts(record.object));
        }
    } else if (std::holds_alternative<ResyncBeginMessage>(body)) {
        out = "begin";
    } else if (std::holds_alternative<ResyncEndMessage>(body)) {
        out = "end";
    }
    return out;
}

}  // namespace bayplan::testing
