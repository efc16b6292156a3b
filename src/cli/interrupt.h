// Ctrl-C: the first one is noted, so that a command ends with whole lines and its totals so far; the second one ends it.
//
// Thread: main makes one; any may ask.
#pragma once

namespace bayplan::cli {

class Interrupt {
public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    static bool came();
};

}  // namespace bayplan::cli
