// What the engine thread says to the teller. The engine's decisions are whole before they are announced; nothing comes
// back from here that could change one.
//
// Thread: the engine's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "bayplan/records.h"
#include "teller/teller.h"

namespace bayplan {

// Of a line of the decision log.
struct LogLine {
    std::int64_t now_ns = 0;
    ShimId shim{};
    std::string_view key;
    std::string_view node;
};

class Announcer {
public:
    explicit Announcer(DecisionSink& sink) : teller_(sink) {}

    // --- shims and their connections, as in Teller
    void add_shim(std::string_view name) { teller_.add_shim(name); }
    void connect(ShimId shim, ConnectionId connection, std::uint64_t applied) {
        teller_.connect(shim, connection, applied);
    }
    void disconnect(ShimId shim) { teller_.disconnect(shim); }
    void cut(ShimId shim, std::string_view why) { teller_.cut(shim, why); }
    void hello_reply(ConnectionId connection, const HelloReply& reply) { teller_.hello_reply(connection, reply); }
    void applied(ShimId shim, std::uint64_t up_to) { teller_.applied(shim, up_to); }

    // --- decisions
    void decide(ShimId shim, const Decision& decision) { teller_.decide(shim, decision); }
    void acknowledge(ShimId shim, std::uint64_t up_to) { teller_.acknowledge(shim, up_to); }
    void send_again_after(ShimId shim, std::uint64_t received) { teller_.send_again_after(shim, received); }
    void forget_decisions(ShimId shim) { teller_.forget_decisions(shim); }

    // --- the log. A placement is a line and, if the shim is `told`, a decision.
    void place(const LogLine& line, std::string_view devices, bool told) {
        teller_.log().place(line.now_ns, teller_.name(line.shim), line.key, line.node, devices);
        if (told) {
            teller_.decide(line.shim, {.kind = DecisionKind::allocated,
                                       .termination = Termination::unknown,
                                       .name = line.key,
                                       .node = line.node,
                                       .text = {},
                                       .scale_up = false,
                                       .devices = devices});
        }
    }
    void fail(const LogLine& line, std::string_view reasons) {
        teller_.log().fail(line.now_ns, teller_.name(line.shim), line.key, reasons);
    }
    void nominate(const LogLine& line, std::string_view victims, std::string_view reasons) {
        teller_.log().nominate(line.now_ns, teller_.name(line.shim), line.key, line.node, victims, reasons);
    }
    void clear(const LogLine& line, std::string_view why) {
        teller_.log().clear(line.now_ns, teller_.name(line.shim), line.key, line.node, why);
    }
    void release(const LogLine& line, std::string_view reasons) {
        teller_.log().release(line.now_ns, teller_.name(line.shim), line.key, line.node, reasons);
    }

    std::size_t flush() { return teller_.flush(); }
    std::string digest() const { return teller_.log().digest(); }

private:
    Teller teller_;
};

}  // namespace bayplan
