// A line per decision, in the order in which they were taken, with columns that stay: for people (`wide`) and for programs
// (CSV as of RFC 4180). See report.h.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "sim/explanation_text.h"
#include "sim/queue_report.h"
#include "sim/report.h"
#include "sim/use_report.h"
#include "terminal/table.h"

namespace bayplan::sim {

namespace {

constexpr std::string_view kNone = "-";

std::string node_of(const SimulatedDecision& decision) {
    return decision.outcome == Outcome::nominated ? decision.nominated_node : decision.node;
}

std::string or_none(std::string text) { return text.empty() ? std::string(kNone) : text; }

class Wide : public Report {
public:
    Wide(std::FILE* out, const ReportLook& look) : out_(out), columns_(look.columns) {}

    void add(const SimulatedDecision& decision) override {
        totals_.add(decision);
        if (decision.explanation) {
            print_explanation(out_, decision, columns_);
            return;
        }
        table_.row({decision.pod, std::string(to_string(decision.outcome)), or_none(node_of(decision)),
                    std::to_string(decision.attempt), std::to_string(decision.budget_violations),
                    or_none(decision.devices), or_none(fmt::format("{}", fmt::join(decision.victims, ","))),
                    or_none(decision.message)});
    }

    void finish(const Ending& ending) override {
        if (table_.rows() > 0) fmt::print(out_, "{}", table_.text(0));
        print_what_if(out_, ending.what_if, columns_);
        print_fit(out_, ending.fit, columns_);
        print_use(out_, ending.use, columns_);
        print_queues(out_, ending.queues, columns_);
        if (!ending.interrupted.empty()) fmt::print(out_, "\n{}\n", ending.interrupted);
        fmt::print(out_, "\n{}\n", totals_.text());
    }

private:
    std::FILE* out_;
    std::size_t columns_;  // of what is told beside the lines, which are whole on any terminal
    // All of them: how wide devices and victims are is known at the end alone.
    terminal::Table table_{
        {{"POD"}, {"OUTCOME"}, {"NODE"}, {"ATTEMPT", true}, {"BUDGETS", true}, {"DEVICES"}, {"VICTIMS"}, {"MESSAGE"}}};
    Totals totals_;
};

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
    return quoted + "\"";
}

class Csv : public Report {
public:
    explicit Csv(std::FILE* out) : out_(out) {
        fmt::print(out_, "pod,outcome,node,attempt,pdb_violations,devices,victims,message\n");
    }

    void add(const SimulatedDecision& decision) override {
        fmt::print(out_, "{},{},{},{},{},{},{},{}\n", csv_field(decision.pod), to_string(decision.outcome),
                   csv_field(node_of(decision)), decision.attempt, decision.budget_violations,
                   csv_field(decision.devices), csv_field(fmt::format("{}", fmt::join(decision.victims, " "))),
                   csv_field(decision.message));
    }

    void finish(const Ending&) override {}

private:
    std::FILE* out_;
};

}  // namespace

std::unique_ptr<Report> make_wide(std::FILE* out, const ReportLook& look) { return std::make_unique<Wide>(out, look); }

std::unique_ptr<Report> make_csv(std::FILE* out) { return std::make_unique<Csv>(out); }

}  // namespace bayplan::sim
