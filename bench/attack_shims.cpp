// The attackers of bench/under_attack, in one process over kernel UDP:
//
//   --hostile FILE --rate N   a shim with all rights of its certificate sends the messages of tests/attacks/hostile_messages,
//                             about N bytes per second, takes all decisions, and comes back when it is closed
//   --silent N                so many connections of a certificate without rights that say nothing, opened again when closed
//
//   attack_shims --connect ADDRESS:PORT --ca FILE --cert FILE --key FILE ...
//
// Runs until SIGTERM; then one line: what was sent, how often it was closed. Thread: one. Errors: exit code 1 with the reason.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/attack_connection.h"
#include "tests/attacks/hostile_messages.h"
#include "wire/codec.h"

namespace bayplan::bench {
namespace {

using Clock = std::chrono::steady_clock;
using dataplane::ConnectionId;
using dataplane::Stream;

volatile std::sig_atomic_t stopped = 0;

struct Options {
    std::string connect;
    dataplane::TlsFiles tls;
    std::string schema;
    std::string partition = "default";
    double bytes_per_s = 200'000;
    std::uint32_t silent = 0;
    double opens_per_s = 50;
    std::uint64_t seed = 1;
};

class Attackers final : public dataplane::FrameHandler {
public:
    explicit Attackers(const Options& options)
        : options_(options),
          messages_(options.schema, options.seed),
          target_(options.connect),
          plane_(open_client(options.tls, *this)) {}
    void run() {
        const std::size_t wanted = options_.silent > 0 ? options_.silent : 1;
        while (stopped == 0) {
            while (connections_.size() < wanted && static_cast<double>(begun_) < 1 + seconds() * options_.opens_per_s) {
                connections_[plane_->connect(target_.address, target_.udp_port)] = {};
                ++begun_;
            }
            if (plane_->turn() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        std::printf("sent %llu messages, %llu bytes; %llu decisions; opened %llu, closed %llu, last: %s\n",
                    static_cast<unsigned long long>(sent_), static_cast<unsigned long long>(bytes_),
                    static_cast<unsigned long long>(decisions_), static_cast<unsigned long long>(opened_),
                    static_cast<unsigned long long>(closed_), why_.c_str());
    }

    void on_open(dataplane::DataPlane& plane, ConnectionId id, const dataplane::Peer&) override {
        ++opened_;
        if (options_.silent > 0) return;
        wire::Hello hello;
        hello.partition = options_.partition;
        hello.shim_instance = opened_;  // another one each time: it states itself anew
        hello.version = "hostile";
        plane.send(id, Stream::control, encoder_.encode(hello));
    }
    bool on_frame(dataplane::DataPlane& plane, ConnectionId id, Stream, dataplane::Frame& frame) override {
        std::string error;
        if (!decoded_.decode(frame.bytes(), wire::Limits{}, error)) return true;
        const wire::Message& message = decoded_.message();
        if (const auto* reply = std::get_if<wire::HelloReplyFrame>(&message)) {
            Connection& connection = connections_[id];
            connection.admitted = reply->outcome != HelloOutcome::refused;
            if (connection.admitted) begin(plane, id, connection);
        } else if (const auto* got = std::get_if<wire::DecisionsFrame>(&message)) {
            decisions_ += got->decisions.size();
            const std::uint64_t last = got->first_sequence + got->decisions.size() - 1;
            plane.send(id, Stream::control, encoder_.encode(wire::AcknowledgeFrame{last}));
        }
        return true;
    }
    void on_close(dataplane::DataPlane&, ConnectionId id, std::string_view why) override {
        ++closed_;
        why_ = why;
        connections_.erase(id);
    }
    void on_refused(std::string_view, std::string_view) override {}
    std::size_t on_turn(dataplane::DataPlane& plane) override {
        std::size_t done = 0;
        for (auto& [id, connection] : connections_) done += connection.admitted ? send_some(plane, id, connection) : 0;
        return done;
    }

private:
    struct Connection {
        bool admitted = false;
        std::uint64_t sequence = 0;
    };
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    bool send(dataplane::DataPlane& plane, ConnectionId id, Connection& connection, const StateBody& body) {
        const wire::StateFrame frame{connection.sequence + 1, body};
        if (!plane.send(id, Stream::state, encoder_.encode(frame))) return false;
        ++connection.sequence;
        return true;
    }
    void begin(dataplane::DataPlane& plane, ConnectionId id, Connection& connection) {
        const std::vector<std::string> texts = attacks::HostileMessages::texts();
        std::vector<DictEntry> entries;
        for (std::size_t i = 0; i < texts.size(); ++i) entries.push_back({static_cast<DictId>(i + 1), texts[i]});
        send(plane, id, connection, ResyncBeginMessage{});
        send(plane, id, connection, DefineMessage{entries});
        send(plane, id, connection, ResyncEndMessage{});
    }
    // As far as the rate admits. A message that the decoder would refuse, which ends the connection, goes all the same: seldom.
    std::size_t send_some(dataplane::DataPlane& plane, ConnectionId id, Connection& connection) {
        if (static_cast<double>(bytes_) > seconds() * options_.bytes_per_s) return 0;
        const std::span<const std::byte> bytes = messages_.next(connection.sequence + 1);
        std::string error;
        dataplane::Frame copy(bytes.size());
        std::memcpy(copy.data(), bytes.data(), bytes.size());
        const bool sound = checked_.decode(copy.bytes(), wire::Limits{}, error);
        if (!sound && ++unsound_ % 1'000 != 0) return 1;
        if (!plane.send(id, Stream::state, bytes)) return 0;
        ++connection.sequence;
        ++sent_;
        bytes_ += bytes.size();
        return 1;
    }

    const Options options_;
    attacks::HostileMessages messages_;
    const Target target_;
    std::unique_ptr<dataplane::DataPlane> plane_;
    std::map<ConnectionId, Connection> connections_;
    wire::Encoder encoder_;
    wire::DecodedFrame decoded_;
    wire::DecodedFrame checked_;
    const Clock::time_point start_ = Clock::now();
    std::uint64_t sent_ = 0, bytes_ = 0, decisions_ = 0, begun_ = 0, opened_ = 0, closed_ = 0, unsound_ = 0;
    std::string why_ = "never";
};

}  // namespace
}  // namespace bayplan::bench

int main(int argc, char** argv) {
    CLI::App app("attackers of a daemon: see bench/under_attack");
    bayplan::bench::Options options;
    app.add_option("--connect", options.connect, "ADDRESS:PORT")->required();
    app.add_option("--ca", options.tls.authority)->required();
    app.add_option("--cert", options.tls.certificate)->required();
    app.add_option("--key", options.tls.key)->required();
    app.add_option("--schema", options.schema, "fbs/shim.bfbs of the build directory")->required();
    app.add_option("--partition", options.partition, "of the shim")->capture_default_str();
    app.add_option("--rate", options.bytes_per_s, "bytes of messages per second")->capture_default_str();
    app.add_option("--silent", options.silent, "connections that say nothing, instead of a shim")
        ->capture_default_str();
    app.add_option("--opens", options.opens_per_s, "connections that begin per second at most")->capture_default_str();
    app.add_option("--seed", options.seed, "of the messages")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    const auto stop = [](int) { bayplan::bench::stopped = 1; };
    std::signal(SIGTERM, stop);
    std::signal(SIGINT, stop);
    try {
        bayplan::bench::Attackers(options).run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "attack_shims: %s\n", error.what());
        return 1;
    }
    return 0;
}
