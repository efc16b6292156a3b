// The table for people: a line per pod that gets a place, then why others wait, grouped; how full everything is; the totals.
// See report.h.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "sim/explanation_text.h"
#include "sim/queue_report.h"
#include "sim/reason_groups.h"
#include "sim/report.h"
#include "sim/use_report.h"

namespace bayplan::sim {

namespace {

using terminal::Colour;

constexpr std::size_t kPodWidthMax = 60;

class Table : public Report {
public:
    Table(std::FILE* out, const ReportLook& look)
        : out_(out), look_(look), width_(std::clamp<std::size_t>(look.pod_width, 3, kPodWidthMax)) {
        if (look.columns > 0) {
            width_ = std::min(width_, std::max<std::size_t>(look.columns / 2, 10));
        }
    }

    void add(const SimulatedDecision& decision) override {
        totals_.add(decision);
        reasons_.add(decision);
        if (decision.explanation) {
            print_explanation(out_, decision, look_.columns);
            explained_ = true;
        } else if (finds_room(decision.outcome)) {
            line(decision);
        }
    }

    void finish(const Ending& ending) override {
        if (!explained_) {
            reasons();
        }
        print_what_if(out_, ending.what_if, look_.columns);
        print_fit(out_, ending.fit, look_.columns);
        print_use(out_, ending.use, look_.columns);
        print_queues(out_, ending.queues, look_.columns);
        totals(ending);
    }

private:
    void line(const SimulatedDecision& decision) {
        if (!headed_) {
            fmt::print(out_, "{:<{}}  {:<13}  {}\n", "POD", width_, "OUTCOME", "NODE");
            headed_ = true;
        }
        const std::string_view outcome = to_string(decision.outcome);
        const Colour colour = decision.outcome == Outcome::scheduled ? Colour::good : Colour::middling;
        const std::string gap(13 - std::min<std::size_t>(13, outcome.size()), ' ');
        const std::string where = where_or_why(decision);
        const std::size_t before = width_ + 17;  // columns in front of it
        fmt::print(out_, "{:<{}}  {}{}  {}\n", cut_to(decision.pod), width_, look_.colours(colour, outcome), gap,
                   look_.columns > before + 4 ? terminal::cut(where, look_.columns - before) : where);
    }

    // Where nobody looks on, names stay whole.
    std::string cut_to(const std::string& pod) const { return look_.columns == 0 ? pod : terminal::cut(pod, width_); }

    void reasons() {
        const std::vector<ReasonGroup> groups = reasons_.groups();
        if (headed_ && !groups.empty()) {
            fmt::print(out_, "\n");
        }
        print_reasons(out_, groups, ReasonOutcomes::said, look_.columns, look_.colours);
    }

    void totals(const Ending& ending) {
        if (!ending.interrupted.empty()) {
            fmt::print(out_, "\n{}\n", look_.colours(Colour::bad, ending.interrupted));
        }
        if (totals_.pods() == 0 && ending.interrupted.empty()) {
            fmt::print(out_, "No pod is pending.\n");
        } else if (totals_.pods() > 1 || !explained_) {
            fmt::print(out_, "\n{}\n", totals_.text());
        }
    }

    std::FILE* out_;
    ReportLook look_;
    std::size_t width_;
    bool headed_ = false;
    bool explained_ = false;
    Totals totals_;
    ReasonGroups reasons_;
};

}  // namespace

std::unique_ptr<Report> make_table(std::FILE* out, const ReportLook& look) {
    return std::make_unique<Table>(out, look);
}

}  // namespace bayplan::sim
