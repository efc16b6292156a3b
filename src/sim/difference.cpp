// See difference.h.
#include "sim/difference.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "sim/reason_groups.h"
#include "terminal/text.h"

namespace bayplan::sim {

namespace {

constexpr std::size_t kShown = 20;

std::string shown(Outcome outcome, const std::string& node, const std::string& message) {
    const std::string& rest = finds_room(outcome) ? node : message;
    return std::string(to_string(outcome)) + (rest.empty() ? "" : ": " + rest);
}

template <typename Line>
void print_list(std::FILE* out, std::size_t columns, const char* title, std::size_t count, Line line) {
    if (count == 0) return;
    fmt::print(out, "{} {}:\n", count, title);
    for (std::size_t index = 0; index < std::min(count, kShown); ++index) {
        fmt::print(out, "  {}\n", terminal::wrapped(line(index), columns, 6));
    }
    if (count > kShown) fmt::print(out, "  and {} more\n", count - kShown);
}

}  // namespace

void Outcomes::add(const SimulatedDecision& decision) {
    totals_.add(decision);
    last_[decision.pod] = {decision.outcome,
                           decision.outcome == Outcome::nominated ? decision.nominated_node : decision.node,
                           decision.message};
}

Difference::Difference(const Outcomes& one, const Outcomes& other) : totals_{one.totals_.text(), other.totals_.text()} {
    for (const auto& [pod, before] : one.last_) {
        const auto found = other.last_.find(pod);
        if (found == other.last_.end()) {
            only_one_.push_back(pod);
            continue;
        }
        const Outcomes::Last& after = found->second;
        const Changed changed{pod, shown(before.outcome, before.node, before.message),
                              shown(after.outcome, after.node, after.message)};
        const bool had = finds_room(before.outcome);
        const bool has = finds_room(after.outcome);
        if (had && has) {
            moved_ += before.node == after.node ? 0 : 1;
        } else if (had != has) {
            (has ? placed_ : lost_).push_back(changed);
        } else if (before.outcome != after.outcome || without_counts(before.message) != without_counts(after.message)) {
            otherwise_.push_back(changed);
        }
    }
    for (const auto& [pod, after] : other.last_) {
        if (!one.last_.contains(pod)) only_other_.push_back(pod);
    }
}

bool Difference::any() const {
    return !placed_.empty() || !lost_.empty() || !otherwise_.empty() || moved_ > 0 || !only_one_.empty() ||
           !only_other_.empty();
}

void Difference::print(std::FILE* out, const std::string& one, const std::string& other, std::size_t columns) const {
    for (const std::string& line : {one + ": " + totals_[0], other + ": " + totals_[1]}) {
        fmt::print(out, "{}\n", terminal::wrapped(line, columns, 2));
    }
    const auto change = [](const std::vector<Changed>& list) {
        return [&list](std::size_t index) {
            return fmt::format("{}  {} > {}", list[index].pod, list[index].before, list[index].after);
        };
    };
    const auto name = [](const std::vector<std::string>& list) { return [&list](std::size_t at) { return list[at]; }; };
    print_list(out, columns, "get a place only there", placed_.size(), change(placed_));
    print_list(out, columns, "get a place only here", lost_.size(), change(lost_));
    print_list(out, columns, "wait for another reason", otherwise_.size(), change(otherwise_));
    print_list(out, columns, "are pending only here", only_one_.size(), name(only_one_));
    print_list(out, columns, "are pending only there", only_other_.size(), name(only_other_));
    if (moved_ > 0) fmt::print(out, "{} get another node\n", moved_);
    if (!any()) fmt::print(out, "Nothing is decided otherwise.\n");
}

void Difference::write(Markup& out, const std::string& one, const std::string& other) const {
    out.begin_object();
    out.text("one", one);
    out.text("other", other);
    for (const auto& [title, list] :
         {std::pair("placed", &placed_), std::pair("lost", &lost_), std::pair("otherwise", &otherwise_)}) {
        out.begin_list(title);
        for (const Changed& changed : *list) {
            out.begin_object();
            out.text("pod", changed.pod);
            out.text("one", changed.before);
            out.text("other", changed.after);
            out.end();
        }
        out.end();
    }
    for (const auto& [title, list] : {std::pair("onlyOne", &only_one_), std::pair("onlyOther", &only_other_)}) {
        out.begin_list(title);
        for (const std::string& pod : *list) out.text({}, pod);
        out.end();
    }
    out.number("moved", static_cast<std::int64_t>(moved_));
    out.end();
}

}  // namespace bayplan::sim
