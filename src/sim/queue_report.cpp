// See queue_report.h. Amounts are written as in a queues.yaml.
#include "sim/queue_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "queue_config/resources.h"
#include "terminal/table.h"

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

void print_queues(std::FILE* out, const std::vector<QueueReport>& queues, std::size_t columns) {
    if (queues.empty()) {
        return;
    }
    terminal::Table table(
        {{"QUEUE"}, {" SHARE", true}, {"APPS", true}, {"USED; PENDING; GUARANTEED; MAX", false, false, true}});
    for (const QueueReport& queue : queues) {
        table.row({indented(queue.path), fmt::format("{:.1f}%", 100 * queue.share), std::to_string(queue.running),
                   fmt::format("{}; {}; {}; {}{}", amounts(queue.used), amounts(queue.pending),
                               amounts(queue.guaranteed), amounts(queue.max), queue.draining ? "  (draining)" : "")});
    }
    fmt::print(out, "\n{}", table.text(columns));
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
