// See counters.h.
#include "http/counters.h"

namespace bayplan::http {

CounterValues Counters::values() const {
    const auto read = [](const Number& number) { return number.load(std::memory_order_relaxed); };
    CounterValues values;
    values.connections = read(connections);
    values.connections_open = read(connections_open);
    values.refused_overall = read(refused_overall);
    values.refused_of_address = read(refused_of_address);
    values.requests = read(requests);
    for (unsigned status = 0; status <= kStatusMax; ++status) {
        if (const std::uint64_t count = read(answers_[status])) values.answers[status] = count;
    }
    values.bytes_in = read(bytes_in);
    values.bytes_out = read(bytes_out);
    values.timeouts_reading = read(timeouts_reading);
    values.timeouts_idle = read(timeouts_idle);
    values.timeouts_writing = read(timeouts_writing);
    values.handshakes_failed = read(handshakes_failed);
    values.tokens_refused = read(tokens_refused);
    return values;
}

}  // namespace bayplan::http
