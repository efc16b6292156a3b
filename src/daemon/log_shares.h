// Which log lines may wait to be written, when lines come faster than they are written. A kind of line, which is its message,
// may have as many places as are still free: a flood of one kind has half of them, and every other kind finds room. The newest
// lines of the flooding kind are refused, and it is told how many they were.
//
// Thread: any; one mutex, for a few comparisons. Owner: the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace bayplan::daemon {

class LogShares {
public:
    // A flood that does not end is told of whenever so many of its lines were written.
    static constexpr std::uint64_t kToldEvery = 1'024;

    explicit LogShares(std::size_t places) : places_(places) {}

    // A line of that message waits from now on: the number of its kind, from 1. 0: it is refused, and counted.
    int admit(std::string_view message);

    struct Refused {
        std::string message;
        std::uint64_t lines = 0;
    };
    // A line of the kind was written. Lines that were refused and are to be told of now, or none: lines of this kind if its
    // flood goes on, or of a kind of which no line waits.
    Refused written(int kind);

private:
    struct Kind {
        std::string message;
        std::size_t waiting = 0;
        std::uint64_t refused = 0;
        std::uint64_t written = 0;  // since it was told how many were refused
        bool used() const { return waiting > 0 || refused > 0; }
    };
    Kind& kind_of(std::string_view message);

    std::mutex mutex_;
    const std::size_t places_;
    std::size_t waiting_ = 0;  // of all kinds
    std::vector<Kind> kinds_;  // with gaps: few, since messages are written in the program
};

}  // namespace bayplan::daemon
