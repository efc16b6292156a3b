// See input_text.h.
#include "cli/input_text.h"

#include <fmt/format.h>

namespace bayplan::cli {

namespace {

struct BodyText {
    std::string operator()(const DefineMessage& m) const { return line("define", m.entries.size()); }
    std::string operator()(const ForgetMessage& m) const { return line("forget", m.ids.size()); }
    std::string operator()(const NodesMessage& m) const { return line("nodes", m.nodes.size()); }
    std::string operator()(const ApplicationsMessage& m) const {
        return line("applications", m.add.size() + m.remove.size());
    }
    std::string operator()(const AsksMessage& m) const { return line("asks", m.asks.size()); }
    std::string operator()(const ReleasesMessage& m) const { return line("releases", m.releases.size()); }
    std::string operator()(const NacksMessage& m) const { return line("nacks", m.nacks.size()); }
    std::string operator()(const ResyncBeginMessage&) const { return "resync-begin"; }
    std::string operator()(const ResyncEndMessage&) const { return "resync-end"; }
    std::string operator()(const ConfigurationMessage& m) const { return line("configuration", m.text.size()); }
    std::string operator()(const SpecsMessage& m) const { return line("specs", m.define.size() + m.forget.size()); }
    std::string operator()(const ObjectsMessage& m) const { return line("objects", m.objects.size()); }

    std::string operator()(const PluginAnswersMessage& m) const { return line("plugin-answers", m.answers.size()); }

    static std::string line(const char* what, std::size_t count) { return fmt::format("{} {}", what, count); }
};

struct InputText {
    std::string operator()(const Tick& tick) const { return fmt::format("tick {}", tick.now_ns); }
    std::string operator()(const Connect& connect) const {
        return fmt::format("connect {} {}", connect.connection, connect.shim);
    }
    std::string operator()(const Disconnect& disconnect) const {
        return fmt::format("disconnect {}", disconnect.connection);
    }
    std::string operator()(const StateMessage& state) const {
        return fmt::format("state {} {}{} {}", state.connection, state.sequence, state.piece != 0 ? " piece" : "",
                           std::visit(BodyText{}, state.body));
    }
    std::string operator()(const Acknowledge& acknowledge) const {
        return fmt::format("acknowledge {} {}", acknowledge.connection, acknowledge.up_to);
    }
    std::string operator()(const HoldPlace& hold) const { return fmt::format("hold {} {}", hold.owner, hold.node); }
    std::string operator()(const HoldDrop& hold) const { return fmt::format("hold-drop {}", hold.owner); }
    std::string operator()(const QueuesText& queues) const {
        return fmt::format("queues {} {} bytes", queues.partition, queues.text.size());
    }
};

}  // namespace

std::string input_text(const Input& input) { return std::visit(InputText{}, input); }

}  // namespace bayplan::cli
