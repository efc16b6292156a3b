// Tells a daemon one story of bench/attack_story.h over kernel UDP, as fast as it takes it:
//
//   attack_story --connect ADDRESS:PORT --ca FILE --cert FILE --key FILE STORY
//
// When the daemon has applied all of it, or has ended the connection, one line of JSON says so; then it takes decisions until
// SIGTERM. Thread: one. Errors: exit code 1 with the reason.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <thread>

#include "bench/attack_connection.h"
#include "bench/attack_story.h"
#include "wire/codec.h"

namespace bayplan::bench {
namespace {

using Clock = std::chrono::steady_clock;
using dataplane::ConnectionId;
using dataplane::Stream;

volatile std::sig_atomic_t stopped = 0;

struct Closed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Teller final : public dataplane::FrameHandler {
public:
    Teller(const std::string& connect, const dataplane::TlsFiles& tls, bool acknowledges)
        : acknowledges_(acknowledges), target_(connect), plane_(open_client(tls, *this)) {}

    void tell(const Story& story, double size) {
        const auto start = Clock::now();
        std::string end = "applied";
        try {
            say_hello();
            story.tell(pen_, {[this](const StateBody& body) { send_with_words(body); }, [this] { say_hello(); }}, size);
            turn_until([this] { return applied_ >= sequence_; });
        } catch (const Closed& closed) {
            end = closed.what();
            std::replace(end.begin(), end.end(), '"', '\'');
        }
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        fmt::print("{{\"seconds\": {:.2f}, \"messages\": {}, \"bytes\": {}, \"end\": \"{}\"}}\n", seconds, messages_,
                   bytes_, end);
        std::fflush(stdout);
        while (stopped == 0) turn();
    }

    void on_open(dataplane::DataPlane& plane, ConnectionId id, const dataplane::Peer&) override {
        wire::Hello hello;
        hello.partition = "default";
        hello.shim_instance = ++instance_;
        hello.version = "attack";
        plane.send(id, Stream::control, encoder_.encode(hello));
    }
    bool on_frame(dataplane::DataPlane& plane, ConnectionId id, Stream, dataplane::Frame& frame) override {
        std::string error;
        if (id != connection_ || !decoded_.decode(frame.bytes(), wire::Limits{}, error)) return true;
        const wire::Message& message = decoded_.message();
        if (const auto* reply = std::get_if<wire::HelloReplyFrame>(&message)) {
            if (reply->outcome == HelloOutcome::refused) {
                closed_ = "refused: " + std::string(reply->reason);
            } else {
                admitted_ = true;
            }
        } else if (const auto* got = std::get_if<wire::DecisionsFrame>(&message)) {
            applied_ = std::max(applied_, got->state_applied);
            const std::uint64_t last = got->first_sequence + got->decisions.size() - 1;
            if (acknowledges_) plane.send(id, Stream::control, encoder_.encode(wire::AcknowledgeFrame{last}));
        } else if (const auto* applied = std::get_if<wire::StateAppliedFrame>(&message)) {
            applied_ = std::max(applied_, applied->up_to);
        }
        return true;
    }
    void on_close(dataplane::DataPlane&, ConnectionId id, std::string_view why) override {
        if (id == connection_) closed_ = "closed: " + std::string(why);
    }
    void on_refused(std::string_view, std::string_view) override {}
    std::size_t on_turn(dataplane::DataPlane&) override { return 0; }

private:
    void turn() {
        if (plane_->turn() == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    template <typename Done>
    void turn_until(Done&& done) {
        while (!done()) {
            if (!closed_.empty()) throw Closed(closed_);
            if (stopped != 0) throw Closed("interrupted");
            turn();
        }
    }
    // On a connection of its own; the one before is applied first, and left.
    void say_hello() {
        turn_until([this] { return applied_ >= sequence_; });
        const ConnectionId before = connection_;
        admitted_ = false;
        connection_ = plane_->connect(target_.address, target_.udp_port);
        turn_until([this] { return admitted_; });
        if (before != 0) plane_->close(before, 0, "another hello");
        pen_.begin_anew();
        sequence_ = applied_ = 0;
        send(ResyncBeginMessage{});
        send(ResyncEndMessage{});
    }
    void send(const StateBody& body) {
        const std::span<const std::byte> bytes = encoder_.encode(wire::StateFrame{sequence_ + 1, body});
        const std::vector<std::byte> copy(bytes.begin(), bytes.end());  // the encoder answers decisions meanwhile
        turn_until([&] { return plane_->send(connection_, Stream::state, copy); });
        ++sequence_;
        ++messages_;
        bytes_ += copy.size();
    }
    // Words that the message uses are told before it.
    void send_with_words(const StateBody& body) {
        if (!pen_.untold().empty()) {
            send(DefineMessage{pen_.untold()});
            pen_.mark_told();
        }
        send(body);
        pen_.turn_page();
    }

    const bool acknowledges_;
    const Target target_;
    std::unique_ptr<dataplane::DataPlane> plane_;
    Pen pen_;
    wire::Encoder encoder_;
    wire::DecodedFrame decoded_;
    ConnectionId connection_ = 0;
    bool admitted_ = false;
    std::string closed_;
    std::uint64_t instance_ = 0, sequence_ = 0, applied_ = 0, messages_ = 0, bytes_ = 0;
};

}  // namespace
}  // namespace bayplan::bench

int main(int argc, char** argv) {
    CLI::App app("one attack on a daemon: see bench/attack_turns");
    std::string connect, name;
    bayplan::dataplane::TlsFiles tls;
    double size = 1;
    bool list = false, silent = false;
    app.add_flag("--list", list, "the stories, a line each: name, TAB, what it tells");
    app.add_option("--connect", connect, "ADDRESS:PORT");
    app.add_option("--ca", tls.authority);
    app.add_option("--cert", tls.certificate);
    app.add_option("--key", tls.key);
    app.add_option("--size", size, "of the story, a share of the whole")->capture_default_str();
    app.add_flag("--never-acknowledge", silent, "decisions");
    app.add_option("story", name);
    CLI11_PARSE(app, argc, argv);
    const std::vector<bayplan::bench::Story>& all = bayplan::bench::stories();
    if (list) {
        for (const auto& story : all) fmt::print("{}\t{}\n", story.name, story.tells);
        return 0;
    }
    const auto story = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
    if (story == all.end()) {
        fmt::print(stderr, "attack_story: no story '{}'\n", name);
        return 2;
    }
    const auto stop = [](int) { bayplan::bench::stopped = 1; };
    std::signal(SIGTERM, stop);
    std::signal(SIGINT, stop);
    try {
        bayplan::bench::Teller(connect, tls, !silent && name != "long-rejections").tell(*story, size);
    } catch (const std::exception& error) {
        fmt::print(stderr, "attack_story: {}\n", error.what());
        return 1;
    }
    return 0;
}
