// See daemonset_report.h; the fields are described in README.md.
#include "sim/daemonset_report.h"

#include "sim/virtual_time.h"

namespace bayplan::sim {

void write_list(Markup& out, std::string_view name, const std::vector<std::string>& texts) {
    out.begin_list(name);
    for (const std::string& text : texts) {
        out.text({}, text);
    }
    out.end();
}

namespace {

void write_choice(Markup& out, const DaemonsetExplanation& told) {
    out.text("strategy", told.strategy);
    out.text("class", told.last_class);
    if (told.deviation_percent) {
        out.ratio("deviation", *told.deviation_percent);
    }
    write_list(out, "chosen", told.chosen);
    write_list(out, "spared", told.spared);
    out.text("release", told.release);
}

}  // namespace

void write_daemonset(Markup& out, const DaemonsetExplanation& told) {
    out.begin_object("daemonset");
    out.text("node", told.node);
    out.text("age", seconds_text(told.age_ms));
    out.text("delay", seconds_text(told.delay_ms));
    out.text("state", told.state);
    out.begin_object("need");
    for (const auto& [resource, amount] : told.need) {
        out.number(resource, amount);
    }
    out.end();
    if (told.looked_for_victims) {
        write_list(out, "candidates", told.candidates);
        out.begin_object("filtered");
        for (const auto& [pod, reason] : told.filtered) {
            out.text(pod, reason);
        }
        out.end();
        out.begin_object("classes");
        for (const auto& [name, pods] : told.classes) {
            write_list(out, name, pods);
        }
        out.end();
    }
    if (!told.chosen.empty()) {
        write_choice(out, told);
    }
    out.end();
}

}  // namespace bayplan::sim
