// See queue_report.h. Amounts are written as in a queues.yaml.
#include "sim/queue_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "queue_config/resources.h"

namespace bayplan::sim {

namespace {

std::string amounts(const QueueReport::Amounts& given) {
    return given.empty() ? "-" : queue_config::to_text(queue_config::Resources(given.begin(), given.end()));
}

// The last part of its path, two columns further in for each queue above it.
std::string indented(const std::string& path) {
    const auto depth = static_cast<std::size_t>(std::ranges::count(path, '.'));
    return std::string(2 * depth, ' ') + path.substr(path.rfind('.') + 1);
}

}  // namespace

void print_queues(std::FILE* out, const std::vector<QueueReport>& queues) {
    if (queues.empty()) {
        return;
    }
    std::size_t width = 5;
    for (const QueueReport& queue : queues) {
        width = std::max(width, indented(queue.path).size());
    }
    fmt::print(out, "\n{:<{}}  {:>6}  {:>4}  USED; PENDING; GUARANTEED; MAX\n", "QUEUE", width, "SHARE", "APPS");
    for (const QueueReport& queue : queues) {
        fmt::print(out, "{:<{}}  {:>5.1f}%  {:>4}  {}; {}; {}; {}{}\n", indented(queue.path), width, 100 * queue.share,
                   queue.running, amounts(queue.used), amounts(queue.pending), amounts(queue.guaranteed),
                   amounts(queue.max), queue.draining ? "  (draining)" : "");
    }
}

void write_queues(Markup& out, const std::vector<QueueReport>& queues) {
    if (queues.empty()) {
        return;
    }
    out.begin_list("queues");
    for (const QueueReport& queue : queues) {
        out.begin_object();
        out.text("queue", queue.path);
        for (const auto& [name, given] : {std::pair("guaranteed", &queue.guaranteed), std::pair("max", &queue.max),
                                          std::pair("used", &queue.used), std::pair("pending", &queue.pending)}) {
            out.begin_object(name);
            for (const auto& [resource, amount] : *given) {
                out.number(resource, amount);
            }
            out.end();
        }
        out.ratio("share", queue.share);
        out.number("running", queue.running);
        out.end();
    }
    out.end();
}

}  // namespace bayplan::sim
