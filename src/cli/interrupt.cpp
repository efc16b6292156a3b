// See interrupt.h.
#include "cli/interrupt.h"

#include <csignal>
#include <initializer_list>

namespace bayplan::cli {

namespace {

volatile std::sig_atomic_t g_came = 0;

}  // namespace

Interrupt::Interrupt() {
    g_came = 0;
    for (const int signal : {SIGINT, SIGTERM}) {
        struct sigaction action {};
        action.sa_handler = [](int) { g_came = 1; };
        // A write to a pipe that is full goes on once somebody reads: lines stay whole.
        action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
        sigaction(signal, &action, nullptr);
    }
}

Interrupt::~Interrupt() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
}

bool Interrupt::came() { return g_came != 0; }

}  // namespace bayplan::cli
