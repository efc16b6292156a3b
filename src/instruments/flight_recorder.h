// The last seconds of events in threads of the daemon, in memory, to be looked at when something went wrong.
//
//   one ring per thread, each record 32 bytes: when, what, and two numbers whose names the kind knows
//
// The oldest record makes room for the newest. A dump is text, a line per record, ring after ring; it is written without
// allocating, so that a process that is about to end can still do it.
//
// Thread: FlightRing::note: one at a time; make_ring: before the others run; dump: any, while they run: what is
// overwritten meanwhile is left out. Owner: the daemon; rings live as long as the recorder.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bayplan::instruments {

enum class FlightKind : std::uint8_t {
    turn,         // of an engine: inputs, attempts
    connect,      // a hello that was let in: connection, lcore
    disconnect,   // connection
    state,        // a message of a shim is applied: connection, its number
    acknowledge,  // connection, up to
    tick,         // the engine's clock in ns
    decisions,    // offered to a connection: connection, how many
    cut,          // connection
    refused,      // a hello: connection
    stuck,        // a thread does not go on: number of the thread, for how many ms
    order,        // of an operator or a signal: which
    kCount
};

// The name of the kind, and the names of its numbers.
struct FlightWords {
    std::string_view kind, first, second;
};
inline constexpr std::array<FlightWords, static_cast<std::size_t>(FlightKind::kCount)> kFlightWords = {{
    {"turn", "inputs", "attempts"},
    {"connect", "connection", "lcore"},
    {"disconnect", "connection", ""},
    {"state", "connection", "number"},
    {"acknowledge", "connection", "up_to"},
    {"tick", "clock_ns", ""},
    {"decisions", "connection", "count"},
    {"cut", "connection", ""},
    {"refused", "connection", ""},
    {"stuck", "thread", "for_ms"},
    {"order", "order", ""},
}};

class FlightRing {
public:
    FlightRing(std::string name, std::size_t records);  // a power of two

    void note(FlightKind kind, std::uint64_t first = 0, std::uint64_t second = 0);

    const std::string& name() const { return name_; }
    // Writes what there is to a file; its lines begin with seconds before `now_ns`. False: the file takes no more.
    bool dump(int file, std::uint64_t now_ns) const;

private:
    struct Record {
        std::atomic<std::uint64_t> at_ns{0}, kind{0}, first{0}, second{0};
    };
    const std::string name_;
    const std::size_t mask_;
    std::unique_ptr<Record[]> records_;
    std::atomic<std::uint64_t> next_{0};  // number of the next record; published after it is written
};

class FlightRecorder {
public:
    FlightRing& make_ring(std::string name, std::size_t records);
    // All rings, to an open file. Allocates nothing.
    bool dump(int file) const;
    // To a file of this name, mode 0600, in place of an older one. False: `error` says why.
    bool dump_to(const std::string& path, std::string& error) const;

    // From now on a process that is ended by a failed check or a fault of memory writes its rings there first. One recorder
    // at a time; an empty path: no more.
    void dump_when_killed(const std::string& path);
    ~FlightRecorder();

private:
    std::vector<std::unique_ptr<FlightRing>> rings_;
    bool watches_ = false;
};

}  // namespace bayplan::instruments
