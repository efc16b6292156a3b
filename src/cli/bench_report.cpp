// See bench_report.h.
#include "cli/bench_report.h"

#include <algorithm>
#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace bayplan::cli {

namespace json = boost::json;
using measure::Measurement;

namespace {

using Row = std::vector<std::string>;

// Columns as wide as what stands in them, the first to the left.
std::string aligned(const std::vector<Row>& rows) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += i == 0 ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("  {:>{}}", row[i], widths[i]);
        }
        text += "\n";
    }
    return text;
}

// 1234567 as 1,235k.
std::string rate(double per_s) { return per_s >= 1e5 ? fmt::format("{:.0f}k", per_s / 1e3) : fmt::format("{:.0f}", per_s); }

std::string megabytes(std::int64_t bytes) { return fmt::format("{:.0f} MB", static_cast<double>(bytes) / 1e6); }

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
            !one.scan ? "-" : one.ratio() < 1 ? fmt::format("{:.3f}", one.ratio()) : fmt::format("{:.1f}", one.ratio())};
}

Row outcome(const Measurement& one) {
    std::string word = "not compared";
    if (one.scan) word = one.scan->placements == one.placements ? "the same" : one.scan->placements;
    if (!one.fault.empty()) word = "FAULT: " + one.fault;
    return {one.name, fmt::format("{}", one.placed), fmt::format("{}", one.failed), fmt::format("{}", one.nominated),
            one.digest.substr(0, 16), one.placements, word};
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
                        {"fault", one.fault.empty() ? json::value(nullptr) : json::value(one.fault)}};
    if (one.latency) {
        object["latency_us"] = json::object{
            {"p50", one.latency->p50_us}, {"p99", one.latency->p99_us}, {"p99.9", one.latency->p999_us}};
    }
    if (one.scan) {
        object["scan"] = json::object{{"decisions_per_s_cpu", one.scan->per_s},
                                      {"ns_per_node", one.scan->ns_per_node},
                                      {"placements", one.scan->placements}};
        object["ratio"] = one.ratio();
    }
    return object;
}

}  // namespace

std::string bench_table(const std::vector<Measurement>& all) {
    std::vector<Row> numbers = {{"workload", "decisions/s", "by CPU", "cores", "p50 us", "p99", "p99.9", "memory", "cached",
                                 "inline/graph/over", "nodes used", "scan/s", "ns/node", "x scan"}};
    std::vector<Row> outcomes = {{"workload", "placed", "failed", "nominated", "digest", "placements", "the scan's"}};
    for (const Measurement& one : all) {
        numbers.push_back(figures(one));
        outcomes.push_back(outcome(one));
    }
    return aligned(numbers) + "\n" + aligned(outcomes) +
           "\np50, p99, p99.9: of messages of 64 asks, each decided before the next. x scan: by CPU time. cached: blocks of\n"
           "nodes that a class remembered. inline/graph/over: batches by path, and those proposed while another committed.\n";
}

std::string bench_json(const std::vector<Measurement>& all) {
    json::array rows;
    for (const Measurement& one : all) rows.push_back(as_object(one));
    return json::serialize(rows) + "\n";
}

namespace {

constexpr double kLeft = 360;   // of the bars
constexpr double kDecade = 150;  // pixels of a power of ten
constexpr double kRow = 22;
constexpr double kTop = 46;

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char letter : text) {
        if (letter == '&') safe += "&amp;";
        else if (letter == '<') safe += "&lt;";
        else safe += letter;
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
        text += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#cccccc\"/>\n", x,
                            kTop - 6, bottom);
        text += label(x, kTop - 10, "middle", fmt::format("{:.0f}", std::pow(10, decade)));
    }
    double y = kTop;
    for (const Measurement* const one : bars) {
        // A ratio below 1 has no length on this scale: its number stands there alone.
        const double length = std::max(0.0, std::log10(one->ratio())) * kDecade;
        text += label(kLeft - 8, y + 14, "end", one->name);
        text += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", kLeft, y + 3,
                            length, kRow - 7, one->fault.empty() ? "#3366aa" : "#bb3333");
        text += label(kLeft + length + 5, y + 14, "start", fmt::format("{:.1f}", one->ratio()));
        y += kRow;
    }
    if (!others.empty()) text += label(8, bottom + 24, "start", "without a scan: " + others);
    return text + "</svg>\n";
}

}  // namespace bayplan::cli
