// Orders that the admin socket of a daemon takes: the daemon's and the command line's one list of them.
//
// Thread: any; constant.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace bayplan {

struct AdminOrder {
    std::string_view name, arguments, help;
    std::size_t words;  // the name included
};

inline constexpr std::array<AdminOrder, 11> kAdminOrders = {{
    {"help", "", "this list", 1},
    {"status", "", "the state as JSON", 1},
    {"counters", "", "all numbers, as Prometheus reads them", 1},
    {"live", "", "ok unless a thread does not go on", 1},
    {"ready", "", "ok if shims find a daemon that decides", 1},
    {"drain", "on|off", "on: what shims say is taken in, but no pod is tried", 2},
    {"log-level", "debug|info|warning|error", "the least important lines to write", 2},
    {"reload", "", "reads certificates and queues again, as SIGHUP does; what is faulty stays as it was", 1},
    {"forget-shim", "PARTITION SHIM", "a shim that will not come back has nothing any more", 3},
    {"flight-recorder", "", "writes the last seconds of events and decisions", 1},
    {"audit", "", "recounts all that the engines know, which stop meanwhile", 1},
}};

// A line each.
inline std::string admin_orders_text() {
    constexpr std::size_t kWidth = 40;
    std::string text;
    for (const AdminOrder& one : kAdminOrders) {
        std::string line = std::string(one.name) + " " + std::string(one.arguments);
        line.resize(kWidth, ' ');
        text += line + " " + std::string(one.help) + "\n";
    }
    return text;
}

}  // namespace bayplan
