// sigtimedwait on a blocked set: no handler, so nothing runs in a signal's context.
//
// Thread: main.
#include "daemon/signals.h"

#include <pthread.h>
#include <signal.h>

#include <ctime>

namespace bayplan::daemon {
namespace {

sigset_t handled() {
    sigset_t set;
    sigemptyset(&set);
    for (const int each : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) sigaddset(&set, each);
    return set;
}

}  // namespace

void block_signals() {
    const sigset_t set = handled();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    signal(SIGPIPE, SIG_IGN);
}

Signal wait_for_signal(std::chrono::nanoseconds timeout) {
    const sigset_t set = handled();
    const auto count = timeout.count() > 0 ? timeout.count() : 0;
    const timespec wait{count / 1'000'000'000, count % 1'000'000'000};
    switch (sigtimedwait(&set, nullptr, &wait)) {
        case SIGTERM:
        case SIGINT: return Signal::stop;
        case SIGHUP: return Signal::reload;
        case SIGUSR1: return Signal::report;
        default: return Signal::none;
    }
}

}  // namespace bayplan::daemon
