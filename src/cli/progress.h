// The bar of a long run: redrawn in place on a terminal, a line every few seconds elsewhere. On
// stderr, so that the report on stdout stays clean.
//
// Thread: the load's.
#pragma once

#include <cstdint>
#include <string>

namespace bayplan::cli {

class Progress {
public:
    explicit Progress(bool quiet);

    // True when it is time to draw again.
    bool due(std::int64_t now_ns);
    void draw(std::uint64_t done, std::uint64_t total, const std::string& text);
    // Ends the line that is being redrawn.
    void finish();
    // A line of its own, above the bar.
    void say(const std::string& text);

private:
    bool quiet_;
    bool terminal_;
    bool open_ = false;  // the cursor is in the bar's line
    std::int64_t next_ns_ = 0;
};

}  // namespace bayplan::cli
