// Signals as values: blocked in all threads, taken by main when it has time for them.
//
// Thread: main; block_signals() before any other thread exists, because threads inherit the mask.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <vector>

namespace bayplan::daemon {

enum class Signal : std::uint8_t { none, stop, report, reload, dump };

// SIGTERM and SIGINT stop, SIGUSR1 reports, SIGUSR2 dumps the flight recorder, SIGHUP reloads certificates and queues;
// SIGPIPE is ignored (a peer that vanished is an error code).
void block_signals();
// The next signal, or none after the timeout.
Signal wait_for_signal(std::chrono::nanoseconds timeout);
// The same, and returns too when one of these files is ready.
Signal wait_for_signal(std::chrono::nanoseconds timeout, std::vector<pollfd> files);

}  // namespace bayplan::daemon
