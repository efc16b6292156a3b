// See bench_report.h.
#include "cli/bench_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "terminal/table.h"
#include "terminal/text.h"

namespace bayplan::cli {

namespace json = boost::json;
using measure::Measurement;

namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kLegendColumns = 110;  // beside a terminal

// Names of workloads, then figures; those without a mark are left out where there is no room.
terminal::Table table_of(const Row& heads, const std::vector<std::size_t>& always) {
    std::vector<terminal::TableColumn> columns;
    for (std::size_t at = 0; at < heads.size(); ++at) {
        columns.push_back({heads[at], at > 0, std::ranges::find(always, at) == always.end()});
    }
    return terminal::Table(std::move(columns));
}

// The meaning of columns, as a paragraph of its own.
std::string legend(const char* text, std::size_t columns) {
    return "\n" + terminal::wrapped(text, columns == 0 ? kLegendColumns : columns, 0) + "\n";
}

// 1234567 as 1,235k.
std::string rate(double per_s) {
    return per_s >= 1e5 ? fmt::format("{:.0f}k", per_s / 1e3) : fmt::format("{:.0f}", per_s);
}

std::string megabytes(std::int64_t bytes) { return fmt::format("{:.0f} MB", static_cast<double>(bytes) / 1e6); }

std::string times(double ratio) { return ratio < 1 ? fmt::format("{:.3f}", ratio) : fmt::format("{:.1f}", ratio); }

Row figures(const Measurement& one) {
    const auto us = [&](auto member) { return one.latency ? fmt::format("{:.0f}", (*one.latency).*member) : "-"; };
    return {one.name,
            rate(one.per_s_wall),
            rate(one.per_s_cpu),
            fmt::format("{:.2f}", one.cores),
            us(&measure::Latency::p50_us),
            us(&measure::Latency::p99_us),
            us(&measure::Latency::p999_us),
            megabytes(one.memory_bytes),
            one.cache_hit_rate ? fmt::format("{:.1f} %", *one.cache_hit_rate * 100) : "-",
            fmt::format("{}/{}/{}", one.batches_inline, one.batches_graph, one.batches_overlapped),
            fmt::format("{}", one.nodes_used),
            one.scan ? rate(one.scan->per_s) : "-",
            one.scan ? fmt::format("{:.2f}", one.scan->ns_per_node) : "-",
            one.scan ? times(one.ratio()) : "-",
            one.vector_scan ? times(one.vector_ratio()) : "-"};
}

Row outcome(const Measurement& one) {
    std::string word = "not compared";
    if (one.scan) word = one.scan->placements == one.placements ? "the same" : one.scan->placements;
    if (!one.fault.empty()) word = "FAULT";
    return {one.name,
            fmt::format("{}", one.placed),
            fmt::format("{}", one.failed),
            fmt::format("{}", one.nominated),
            one.digest.substr(0, 16),
            one.placements,
            word};
}

Row wire(const Measurement& one) {
    const measure::WireFigures& by_wire = *one.wire;
    return {one.name,
            rate(by_wire.per_s),
            fmt::format("{}-{}", rate(by_wire.per_s_least), rate(by_wire.per_s_most)),
            rate(one.per_s_wall),
            fmt::format("{:.2f}", by_wire.daemon_cores),
            fmt::format("{:.2f}", by_wire.shim_cores),
            fmt::format("{}", by_wire.rate),
            fmt::format("{:.0f}", by_wire.latency.p50_us),
            fmt::format("{:.0f}", by_wire.latency.p99_us),
            fmt::format("{:.0f}", by_wire.latency.p999_us),
            fmt::format("{}+{}", by_wire.switches_of_daemon, by_wire.switches_of_shim),
            fmt::format("{}", by_wire.dropped),
            by_wire.digest.substr(0, 16),
            by_wire.port};
}

// Lines under the table about one of its rows.
std::string notes_of(const Measurement& one, std::size_t columns) {
    std::string notes;
    if (!one.wire->note.empty()) notes += terminal::wrapped(one.name + ": " + one.wire->note, columns, 2) + "\n";
    if (const auto& others = one.wire->without_plugin) {
        const std::string text =
            fmt::format("{}: {}/s of the pods that need no plugin; their p50 {:.0f} us, p99 {:.0f} us", one.name,
                        rate(others->per_s), others->p50_us, others->p99_us);
        notes += terminal::wrapped(text, columns, 2) + "\n";
    }
    return notes;
}

json::value without_plugin_object(const std::optional<measure::WithoutPlugin>& others) {
    if (!others) return nullptr;
    return json::object{{"pods_per_s", others->per_s}, {"p50_us", others->p50_us}, {"p99_us", others->p99_us}};
}

std::string wire_table(const std::vector<Measurement>& all, std::size_t columns) {
    terminal::Table table = table_of({"wire to wire", "pods/s", "range", "in process", "daemon", "shim", "asks/s",
                                      "p50 us", "p99", "p99.9", "switches", "drops", "digest", "port"},
                                     {0, 1, 8});
    std::string notes;
    for (const Measurement& one : all) {
        if (!one.wire) continue;
        table.row(wire(one));
        notes += notes_of(one, columns);
    }
    if (table.rows() == 0) return {};
    return "\n" + table.fitted(columns) + notes +
           legend(
               "pods/s: as fast as flow control lets it; daemon, shim: cores used meanwhile. p50 to p99.9: from the "
               "intended time of an ask to its allocation, at so many asks/s, and involuntary context switches "
               "(daemon+shim) meanwhile.",
               columns);
}

json::value wire_object(const Measurement& one) {
    if (!one.wire) return nullptr;
    const measure::WireFigures& by_wire = *one.wire;
    return json::object{{"pods_per_s", by_wire.per_s},
                        {"pods_per_s_least", by_wire.per_s_least},
                        {"pods_per_s_most", by_wire.per_s_most},
                        {"daemon_cores", by_wire.daemon_cores},
                        {"shim_cores", by_wire.shim_cores},
                        {"rate", by_wire.rate},
                        {"latency_us", json::object{{"p50", by_wire.latency.p50_us},
                                                    {"p99", by_wire.latency.p99_us},
                                                    {"p99.9", by_wire.latency.p999_us}}},
                        {"switches_of_daemon", by_wire.switches_of_daemon},
                        {"switches_of_shim", by_wire.switches_of_shim},
                        {"dropped", by_wire.dropped},
                        {"without_plugin", without_plugin_object(by_wire.without_plugin)},
                        {"digest", by_wire.digest},
                        {"port", by_wire.port},
                        {"note", by_wire.note}};
}

json::value or_null(const std::optional<double>& value) { return value ? json::value(*value) : json::value(nullptr); }

json::object as_object(const Measurement& one) {
    json::object object{{"name", one.name},
                        {"nodes", one.nodes},
                        {"pods", one.pods},
                        {"decisions_per_s", one.per_s_wall},
                        {"decisions_per_s_cpu", one.per_s_cpu},
                        {"cores", one.cores},
                        {"memory_bytes", one.memory_bytes},
                        {"cache_hit_rate", or_null(one.cache_hit_rate)},
                        {"batches", json::object{{"inline", one.batches_inline},
                                                 {"graph", one.batches_graph},
                                                 {"overlapped", one.batches_overlapped},
                                                 {"cut", one.batches_cut}}},
                        {"placed", one.placed},
                        {"failed", one.failed},
                        {"nominated", one.nominated},
                        {"nodes_used", one.nodes_used},
                        {"digest", one.digest},
                        {"placements", one.placements},
                        {"latency_us", nullptr},
                        {"scan", nullptr},
                        {"ratio", nullptr},
                        {"vector_scan", nullptr},
                        {"vector_ratio", nullptr},
                        {"wire", wire_object(one)},
                        {"fault", one.fault.empty() ? json::value(nullptr) : json::value(one.fault)}};
    if (one.latency) {
        object["latency_us"] =
            json::object{{"p50", one.latency->p50_us}, {"p99", one.latency->p99_us}, {"p99.9", one.latency->p999_us}};
    }
    if (one.scan) {
        object["scan"] = json::object{{"decisions_per_s_cpu", one.scan->per_s},
                                      {"ns_per_node", one.scan->ns_per_node},
                                      {"placements", one.scan->placements}};
        object["ratio"] = one.ratio();
    }
    if (one.vector_scan) {
        object["vector_scan"] = json::object{{"decisions_per_s_cpu", one.vector_scan->per_s},
                                             {"ns_per_node", one.vector_scan->ns_per_node},
                                             {"placements", one.vector_scan->placements}};
        object["vector_ratio"] = one.vector_ratio();
    }
    return object;
}

}  // namespace

std::string bench_table(const std::vector<Measurement>& all, std::size_t columns) {
    terminal::Table numbers =
        table_of({"workload", "decisions/s", "by CPU", "cores", "p50 us", "p99", "p99.9", "memory", "cached",
                  "inline/graph/over", "nodes used", "scan/s", "ns/node", "x scan", "x vectors"},
                 {0, 1, 13});
    terminal::Table outcomes =
        table_of({"workload", "placed", "failed", "nominated", "digest", "placements", "the scan's"}, {0, 1, 6});
    std::string faults;
    for (const Measurement& one : all) {
        numbers.row(figures(one));
        outcomes.row(outcome(one));
        if (!one.fault.empty()) faults += terminal::wrapped(one.name + ": FAULT: " + one.fault, columns, 2) + "\n";
    }
    return numbers.fitted(columns) + "\n" + outcomes.fitted(columns) + faults +
           legend(
               "p50, p99, p99.9: of messages of 64 asks, each decided before the next; of preemptions: of one. x "
               "scan: by CPU time; x vectors: of the same scan, 8 nodes at a time. cached: blocks of nodes that a "
               "class remembered. inline/graph/over: batches by path, and those proposed while another committed.",
               columns) +
           wire_table(all, columns);
}

std::string bench_json(const std::vector<Measurement>& all) {
    json::array rows;
    for (const Measurement& one : all) rows.push_back(as_object(one));
    return json::serialize(rows) + "\n";
}

namespace {

constexpr double kLeft = 360;    // of the bars
constexpr double kDecade = 150;  // pixels of a power of ten
constexpr double kRow = 22;
constexpr double kTop = 46;

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char letter : text) {
        if (letter == '&')
            safe += "&amp;";
        else if (letter == '<')
            safe += "&lt;";
        else
            safe += letter;
    }
    return safe;
}

std::string label(double x, double y, const char* anchor, const std::string& text) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, escaped(text));
}

}  // namespace

std::string bench_svg(const std::vector<Measurement>& all) {
    std::vector<const Measurement*> bars;
    std::string others;
    double most = 10;
    for (const Measurement& one : all) {
        if (one.ratio() <= 0) {
            others += (others.empty() ? "" : ", ") + one.name;
            continue;
        }
        bars.push_back(&one);
        most = std::max(most, one.ratio());
    }
    const double decades = std::ceil(std::log10(most));
    const double bottom = kTop + kRow * static_cast<double>(bars.size());
    std::string text = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" font-family=\"sans-serif\" "
        "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        kLeft + kDecade * decades + 80, bottom + 40);
    text += label(kLeft, 18, "start", "decisions per second of CPU time, times the plain scan's of the same run");
    for (int decade = 0; decade <= static_cast<int>(decades); ++decade) {
        const double x = kLeft + kDecade * decade;
        text += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#cccccc\"/>\n",
                            x, kTop - 6, bottom);
        text += label(x, kTop - 10, "middle", fmt::format("{:.0f}", std::pow(10, decade)));
    }
    double y = kTop;
    for (const Measurement* const one : bars) {
        // A ratio below 1 has no length on this scale: its number stands there alone.
        const double length = std::max(0.0, std::log10(one->ratio())) * kDecade;
        text += label(kLeft - 8, y + 14, "end", one->name);
        text += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", kLeft,
                            y + 3, length, kRow - 7, one->fault.empty() ? "#3366aa" : "#bb3333");
        text += label(kLeft + length + 5, y + 14, "start", fmt::format("{:.1f}", one->ratio()));
        y += kRow;
    }
    if (!others.empty()) text += label(8, bottom + 24, "start", "without a scan: " + others);
    return text + "</svg>\n";
}

}  // namespace bayplan::cli
