// See port_log.h and, for set_port_log(), dataplane/data_plane.h.
//
// Thread: any; one mutex, on a slow path only.
#include "port/port_log.h"

#include <cstdio>
#include <mutex>
#include <utility>

#include "dataplane/data_plane.h"

namespace bayplan::dataplane {
namespace {

struct Taker {
    std::mutex mutex;
    PortLog take;
};

Taker& taker() {
    static Taker one;
    return one;
}

}  // namespace

void set_port_log(PortLog take) {
    const std::lock_guard lock(taker().mutex);
    taker().take = std::move(take);
}

void log_of_port(std::string_view line) {
    const std::lock_guard lock(taker().mutex);
    if (taker().take) {
        taker().take(line);
    } else {
        std::fprintf(stderr, "dpdk: %.*s\n", static_cast<int>(line.size()), line.data());
    }
}

}  // namespace bayplan::dataplane
