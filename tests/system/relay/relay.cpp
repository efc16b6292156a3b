// relay --a IF --b IF: carries Ethernet frames between two interfaces as a bad network would, by a seed.
//
// Says "ready" on stdout once frames pass. Commands, a line each on stdin:
//   storm LOSS MS     drop this further share (0..1; 1 is a blackout) of both directions for so long;
//                     "storm over" on stdout at its end
// SIGTERM ends it: counters as JSON to --json FILE.
//
// Thread: one. Owner: frames under way lie in the heap of their direction. Errors: exit code 2.
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <queue>
#include <sstream>

#include "faults.h"
#include "wire.h"

namespace bayplan::relay {
namespace {

volatile sig_atomic_t stop_wanted = 0;

// A frame that is to be overtaken waits so much longer, at most.
constexpr std::int64_t kReorderNs = 5'000'000;

std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

struct DirectionCounts {
    std::uint64_t seen = 0;
    std::uint64_t carried = 0;  // duplicates included
    std::uint64_t dropped = 0;
    std::uint64_t reordered = 0;
    std::uint64_t duplicated = 0;
    std::uint64_t corrupted = 0;
    std::uint64_t too_long = 0;
};

// Frames from one wire to the other. They stay in order, but for those whose fate is to be overtaken.
class Direction {
public:
    // Frames of more than `longest` bytes are swallowed, as by a path with a small MTU whose routers say nothing.
    Direction(Wire& from, Wire& to, const FaultRates& rates, std::uint64_t seed, std::size_t longest)
        : from_(from), to_(to), faults_(rates, seed), longest_(longest) {}

    void receive(double storm_loss) {
        while (auto frame = from_.receive()) {
            if (!frame->empty()) accept(std::move(*frame), storm_loss);
        }
    }

    void send_due(std::int64_t now) {
        while (!under_way_.empty() && under_way_.top().due_ns <= now) {
            to_.send(under_way_.top().bytes);
            ++counts_.carried;
            under_way_.pop();
        }
    }

    // Nanoseconds until a frame is due; -1: none is under way.
    std::int64_t next_due(std::int64_t now) const {
        if (under_way_.empty()) return -1;
        return std::max<std::int64_t>(0, under_way_.top().due_ns - now);
    }

    const DirectionCounts& counts() const { return counts_; }
    const Wire& source() const { return from_; }

private:
    struct UnderWay {
        std::int64_t due_ns;
        std::uint64_t serial;
        Bytes bytes;
        bool operator<(const UnderWay& other) const {
            return due_ns != other.due_ns ? due_ns > other.due_ns : serial > other.serial;
        }
    };

    void accept(Bytes frame, double storm_loss) {
        ++counts_.seen;
        if (frame.size() > longest_) {
            ++counts_.too_long;
            return;
        }
        const Fate fate = faults_.next(storm_loss);
        if (fate.drop) {
            ++counts_.dropped;
            return;
        }
        if (fate.corrupt) {
            ++counts_.corrupted;
            Faults::flip(frame, fate.bit);
        }
        std::int64_t due = std::max(last_due_, now_ns() + fate.delay_ns);
        if (fate.reorder) {
            ++counts_.reordered;
            due += 1 + static_cast<std::int64_t>(fate.bit % kReorderNs);
        } else {
            last_due_ = due;
        }
        if (fate.duplicate) {
            ++counts_.duplicated;
            under_way_.push({due, ++serial_, frame});
        }
        under_way_.push({due, ++serial_, std::move(frame)});
    }

    Wire& from_;
    Wire& to_;
    Faults faults_;
    const std::size_t longest_;
    std::priority_queue<UnderWay> under_way_;
    std::int64_t last_due_ = 0;
    std::uint64_t serial_ = 0;
    DirectionCounts counts_;
};

// Lines of stdin; gone when it ends.
class Commands {
public:
    bool open() const { return open_; }

    void read_some() {
        char text[256];
        const ssize_t size = read(STDIN_FILENO, text, sizeof text);
        if (size <= 0) {
            open_ = false;
            return;
        }
        pending_.append(text, static_cast<std::size_t>(size));
        for (std::size_t end; (end = pending_.find('\n')) != std::string::npos;) {
            obey(pending_.substr(0, end));
            pending_.erase(0, end + 1);
        }
    }

    double storm_loss(std::int64_t now) {
        if (storm_end_ns_ != 0 && now >= storm_end_ns_) {
            storm_end_ns_ = 0;
            loss_ = 0;
            fmt::print("storm over\n");
            std::fflush(stdout);
        }
        return loss_;
    }

private:
    void obey(const std::string& line) {
        std::istringstream words(line);
        std::string name;
        double loss = 0;
        std::int64_t milliseconds = 0;
        if (words >> name >> loss >> milliseconds && name == "storm") {
            loss_ = loss;
            storm_end_ns_ = now_ns() + milliseconds * 1'000'000;
        } else {
            fmt::print("not understood: {}\n", line);
            std::fflush(stdout);
        }
    }

    bool open_ = true;
    std::string pending_;
    double loss_ = 0;
    std::int64_t storm_end_ns_ = 0;
};

std::string as_json(const Direction& direction) {
    const DirectionCounts& counts = direction.counts();
    return fmt::format(R"({{"seen":{},"carried":{},"dropped":{},"reordered":{},"duplicated":{},"corrupted":{},)"
                       R"("too_long":{},"uncut_runs":{},"send_errors":{}}})",
                       counts.seen, counts.carried, counts.dropped, counts.reordered, counts.duplicated,
                       counts.corrupted, counts.too_long, direction.source().uncut_runs(),
                       direction.source().send_errors());
}

// Sleeps until a frame, a command, a due frame or a signal; storms are looked at every 20 ms.
void wait(const Wire& a, const Wire& b, const Commands& commands, std::int64_t due_ns, const sigset_t& waiting_mask) {
    constexpr std::int64_t kLongestNs = 20'000'000;
    const std::int64_t ns = due_ns < 0 ? kLongestNs : std::min(due_ns, kLongestNs);
    const timespec timeout{0, ns};
    pollfd files[] = {
        {a.descriptor(), POLLIN, 0}, {b.descriptor(), POLLIN, 0}, {commands.open() ? STDIN_FILENO : -1, POLLIN, 0}};
    ppoll(files, 3, &timeout, &waiting_mask);
}

bool command_waits() {
    pollfd file{STDIN_FILENO, POLLIN, 0};
    return poll(&file, 1, 0) > 0;
}

void run(Wire& a, Wire& b, Direction& up, Direction& down, const sigset_t& waiting_mask) {
    Commands commands;
    while (stop_wanted == 0) {
        if (commands.open() && command_waits()) commands.read_some();
        const double loss = commands.storm_loss(now_ns());
        up.receive(loss);
        down.receive(loss);
        const std::int64_t now = now_ns();
        up.send_due(now);
        down.send_due(now);
        const std::int64_t first = up.next_due(now);
        const std::int64_t second = down.next_due(now);
        const std::int64_t due = first < 0 ? second : second < 0 ? first : std::min(first, second);
        wait(a, b, commands, due, waiting_mask);
    }
}

// The signal arrives only while the relay waits, so that none is missed between a look and a sleep.
sigset_t stop_on_sigterm() {
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGTERM);
    sigset_t before;
    sigprocmask(SIG_BLOCK, &wanted, &before);
    struct sigaction action {};
    action.sa_handler = [](int) { stop_wanted = 1; };
    sigaction(SIGTERM, &action, nullptr);
    return before;
}

bool write_report(const std::string& path, std::uint64_t seed, const Direction& a_to_b, const Direction& b_to_a) {
    std::FILE* const file = std::fopen(path.c_str(), "w");
    if (file == nullptr) return false;
    fmt::print(file, "{{\"seed\":{},\"a_to_b\":{},\"b_to_a\":{}}}\n", seed, as_json(a_to_b), as_json(b_to_a));
    return std::fclose(file) == 0;
}

int relay_main(int argc, char** argv) {
    CLI::App app("relay: a bad network between two interfaces, by a seed");
    std::string a_name;
    std::string b_name;
    std::string json;
    std::uint64_t seed = 1;
    double delay_ms = 0;
    std::size_t mtu = 65'535;
    FaultRates rates;
    app.add_option("--a", a_name)->required();
    app.add_option("--b", b_name)->required();
    app.add_option("--seed", seed);
    app.add_option("--drop", rates.drop);
    app.add_option("--reorder", rates.reorder);
    app.add_option("--duplicate", rates.duplicate);
    app.add_option("--corrupt", rates.corrupt);
    app.add_option("--delay-ms", delay_ms, "uniform from 0 to this");
    app.add_option("--mtu", mtu, "longer packets are swallowed, in both directions");
    app.add_option("--json", json);
    CLI11_PARSE(app, argc, argv);
    rates.delay_max_ns = static_cast<std::int64_t>(delay_ms * 1e6);

    const sigset_t waiting_mask = stop_on_sigterm();
    Wire a(a_name);
    Wire b(b_name);
    constexpr std::size_t kEthernetBytes = 14;
    Direction up(a, b, rates, seed * 2, mtu + kEthernetBytes);
    Direction down(b, a, rates, seed * 2 + 1, mtu + kEthernetBytes);
    fmt::print("ready\n");
    std::fflush(stdout);
    run(a, b, up, down, waiting_mask);
    return json.empty() || write_report(json, seed, up, down) ? 0 : 2;
}

}  // namespace
}  // namespace bayplan::relay

int main(int argc, char** argv) {
    try {
        return bayplan::relay::relay_main(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "relay: {}\n", error.what());
        return 2;
    }
}
