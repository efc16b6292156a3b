// The bar of a long run, on standard error: one line, redrawn in place, with its rate and the time left. Nothing where
// standard error is no terminal. Other writers to the terminal call `clear` before.
//
// Thread: one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bayplan::terminal {

class Progress {
public:
    explicit Progress(bool quiet);

    // True when it is time to draw again.
    bool due(std::int64_t now_ns);
    // `unit`: what is counted, for the rate ("pods"; "B": bytes).
    void draw(std::uint64_t done, std::uint64_t total, std::string_view unit, const std::string& text);
    // Takes the bar away; the next `draw` puts it back.
    void clear();
    // The end of what was counted: the next `draw` counts from its own begin.
    void finish();
    // A line of its own, above the bar; also where there is no terminal.
    void say(const std::string& text);

private:
    bool quiet_;
    bool terminal_;
    bool open_ = false;  // the bar is on the screen
    std::int64_t began_ns_ = 0;
    std::int64_t now_ns_ = 0;
    std::int64_t next_ns_ = 0;
};

// "12.3 MB/s, 5 s left": of `done` after so long, with `left` to go; empty while nothing can be said.
std::string rate_and_time_left(std::uint64_t done, std::uint64_t total, std::int64_t passed_ns, std::string_view unit);

// One line of at most so many columns.
std::string bar_line(std::uint64_t done, std::uint64_t total, const std::string& text, const std::string& rate,
                     std::size_t columns);

}  // namespace bayplan::terminal
