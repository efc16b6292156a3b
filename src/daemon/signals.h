// Signals as values: blocked in all threads, taken by main when it has time for them.
//
// Thread: main; block_signals() before any other thread exists, because threads inherit the mask.
#pragma once

#include <chrono>
#include <cstdint>

namespace bayplan::daemon {

enum class Signal : std::uint8_t { none, stop, report, reload };

// SIGTERM and SIGINT stop, SIGUSR1 reports, SIGHUP reloads certificates and queues; SIGPIPE is ignored (a peer that vanished
// is an error code).
void block_signals();
// The next signal, or none after the timeout.
Signal wait_for_signal(std::chrono::nanoseconds timeout);

}  // namespace bayplan::daemon
