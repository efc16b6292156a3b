// JSON and YAML. See report.h; the fields are described in README.md.
#include "sim/report.h"

#include <fmt/format.h>

#include "sim/claimed_devices.h"
#include "sim/daemonset_report.h"
#include "sim/explanation_markup.h"
#include "sim/markup.h"
#include "sim/queue_report.h"
#include "sim/use_report.h"

namespace bayplan::sim {

namespace {

class DocumentReport : public Report {
public:
    explicit DocumentReport(std::unique_ptr<Markup> out) : out_(std::move(out)) {
        out_->begin_object();
        out_->begin_list("decisions");
    }

    void add(const SimulatedDecision& decision) override {
        totals_.add(decision);
        out_->begin_object();
        out_->text("pod", decision.pod);
        out_->text("outcome", to_string(decision.outcome));
        if (decision.attempt > 0) {
            out_->number("attempt", decision.attempt);
        }
        if (decision.outcome == Outcome::scheduled) {
            out_->text("node", decision.node);
            write_devices(*out_, decision.pod, decision.devices);
        } else {
            add_if_any("node", decision.node);
            out_->text("message", decision.message);
        }
        if (decision.outcome == Outcome::reserved) {
            add_list("victims", decision.victims);
        }
        if (decision.outcome == Outcome::nominated) {
            out_->text("nominatedNode", decision.nominated_node);
            write_victims(*out_, decision.victims, decision.budget_violations);
        }
        write_explained(*out_, decision, decision.outcome == Outcome::waiting);
        out_->end();
    }

    void finish(const Ending& ending) override {
        out_->end();
        out_->begin_object("totals");
        out_->number("scheduled", static_cast<std::int64_t>(totals_.scheduled()));
        out_->number("nominated", static_cast<std::int64_t>(totals_.nominated()));
        out_->number("unschedulable", static_cast<std::int64_t>(totals_.unschedulable()));
        out_->number("gated", static_cast<std::int64_t>(totals_.gated()));
        if (totals_.reserved() > 0) {
            out_->number("reserved", static_cast<std::int64_t>(totals_.reserved()));
        }
        if (totals_.errors() > 0) {
            out_->number("errors", static_cast<std::int64_t>(totals_.errors()));
        }
        if (totals_.queued() > 0) {
            out_->number("queued", static_cast<std::int64_t>(totals_.queued()));
        }
        if (totals_.waiting() > 0) {
            out_->number("waiting", static_cast<std::int64_t>(totals_.waiting()));
        }
        if (totals_.rejected() > 0) {
            out_->number("rejected", static_cast<std::int64_t>(totals_.rejected()));
        }
        out_->end();
        if (!ending.interrupted.empty()) {
            out_->text("interrupted", ending.interrupted);
        }
        if (!ending.unused.empty()) {
            add_list("unused", ending.unused);
        }
        if (!ending.what_if.empty()) {
            add_list("whatIf", ending.what_if);
        }
        write_fit(*out_, ending.fit);
        write_queues(*out_, ending.queues);
        write_use(*out_, ending.use);
        out_->end();
    }

private:
    void add_if_any(std::string_view name, std::string_view text) {
        if (!text.empty()) {
            out_->text(name, text);
        }
    }

    void add_list(std::string_view name, const std::vector<std::string>& texts) { write_list(*out_, name, texts); }

    std::unique_ptr<Markup> out_;
    Totals totals_;
};

}  // namespace

void Totals::add(const SimulatedDecision& decision) {
    if (const auto before = without_place_.find(decision.pod); before != without_place_.end()) {
        --counts_[static_cast<std::size_t>(before->second)];
        without_place_.erase(before);
    }
    ++counts_[static_cast<std::size_t>(decision.outcome)];
    if (decision.outcome != Outcome::scheduled) {
        without_place_.emplace(decision.pod, decision.outcome);
    }
}

std::size_t Totals::pods() const {
    std::size_t pods = 0;
    for (const std::size_t count : counts_) {
        pods += count;
    }
    return pods;
}

std::string Totals::text() const {
    const auto if_any = [](std::size_t count, const char* what) {
        return count == 0 ? "" : fmt::format("{} {}, ", count, what);
    };
    return fmt::format("{} {}: {} scheduled, {}{}{}{}{}{}{} unschedulable, {} gated", pods(),
                       pods() == 1 ? "pod" : "pods", scheduled(), if_any(nominated(), "nominated"),
                       if_any(reserved(), "reserved"), if_any(queued(), "queued"), if_any(waiting(), "waiting"),
                       if_any(rejected(), "rejected"), if_any(errors(), "in an error"), unschedulable(), gated());
}

bool finds_room(Outcome outcome) {
    return outcome == Outcome::scheduled || outcome == Outcome::nominated || outcome == Outcome::reserved;
}

void print_what_if(std::FILE* out, const std::vector<std::string>& lines, std::size_t columns) {
    for (std::size_t index = 0; index < lines.size(); ++index) {
        fmt::print(out, "{}{}\n", index == 0 ? "\n" : "", terminal::wrapped("what if: " + lines[index], columns, 9));
    }
}

std::unique_ptr<Report> make_report(Format format, std::FILE* out, const ReportLook& look) {
    switch (format) {
        case Format::json: return std::make_unique<DocumentReport>(make_json(out));
        case Format::yaml: return std::make_unique<DocumentReport>(make_yaml(out));
        case Format::csv: return make_csv(out);
        case Format::wide: return make_wide(out, look);
        case Format::table: break;
    }
    return make_table(out, look);
}

}  // namespace bayplan::sim
