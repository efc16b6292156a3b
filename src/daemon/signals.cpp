// sigtimedwait on a blocked set: no handler, so nothing runs in a signal's context.
//
// Thread: main.
#include "daemon/signals.h"

#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>

#include <ctime>
#include <vector>

namespace bayplan::daemon {
namespace {

sigset_t handled() {
    sigset_t set;
    sigemptyset(&set);
    for (const int each : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) sigaddset(&set, each);
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
        case SIGUSR2: return Signal::dump;
        default: return Signal::none;
    }
}

Signal wait_for_signal(std::chrono::nanoseconds timeout, std::vector<pollfd> files) {
    const sigset_t set = handled();
    static const int pending = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    files.push_back({pending, POLLIN, 0});
    const auto count = timeout.count() > 0 ? timeout.count() : 0;
    const timespec wait{count / 1'000'000'000, count % 1'000'000'000};
    ppoll(files.data(), files.size(), &wait, nullptr);
    return wait_for_signal(std::chrono::nanoseconds(0));
}

}  // namespace bayplan::daemon
