// Small runs: the order of allocations and the state after each step.
#include <fmt/format.h>

#include "queues_run.h"

namespace bayplan::conformance {
namespace {

bool is_amounts(std::string_view name) {
    return name == "allocated" || name == "pending" || name == "available" || name == "occupied";
}

json::value without_zeros(const json::value& value) {
    if (!value.is_object()) return value;
    json::object kept;
    for (const auto& [name, amount] : value.as_object()) {
        if (!amount.is_number() || amount.to_number<std::int64_t>() != 0) kept[name] = amount;
    }
    return kept;
}

// "" or where they differ; every member that is expected, and no other.
std::string difference(const json::value& expected, const json::value& own, const std::string& path, bool headroom) {
    if (!expected.is_object() || !own.is_object()) {
        return expected == own ? "" : fmt::format("{}: {}", path, json::serialize(own));
    }
    for (const auto& [name, value] : expected.as_object()) {
        const std::string below = fmt::format("{}/{}", path, std::string(name));
        const json::value* const found = own.as_object().if_contains(name);
        if (found == nullptr) return below + " is missing";
        if (name == "headroom" && !headroom) continue;
        if (name == "rejectedMessage" || name == "error") {
            const bool same = value.as_string().find(found->as_string()) != std::string::npos;
            if (!same) return fmt::format("{}: {}", below, json::serialize(*found));
            continue;
        }
        const bool amounts = is_amounts(name);
        const std::string inner = amounts ? difference(without_zeros(value), without_zeros(*found), below, headroom)
                                          : difference(value, *found, below, headroom);
        if (!inner.empty()) return inner;
    }
    for (const auto& [name, value] : own.as_object()) {
        if (!expected.as_object().contains(name))
            return fmt::format("{}/{} should not be there", path, std::string(name));
    }
    return "";
}

}  // namespace

std::string judge_schedule(const json::object& test_case) {
    QueuesRun run(member(test_case, "reservations").as_bool());
    const bool nodes_matter = member(test_case, "nodesMatter").as_bool();
    const bool headroom = member(test_case, "headroomMatters").as_bool();
    const std::string error = run.load(text_of(test_case, "yaml"));
    if (!error.empty()) return "the configuration is refused: " + error;
    int number = 0;
    for (const json::value& value : member(test_case, "steps").as_array()) {
        const json::object& step = value.as_object();
        json::object own = run.step(step, nodes_matter);
        const json::value* const expected = step.if_contains("expect");
        // The name of a refused configuration is not compared, only that it is refused.
        if (text_of(step, "op") == "config") {
            if ((expected != nullptr) != own.contains("error"))
                return fmt::format("step {}: accepted, or refused", number);
            own.clear();
        }
        if (!own.empty() || (expected != nullptr && text_of(step, "op") != "config")) {
            const json::value nothing = json::object();
            const std::string found = difference(expected == nullptr ? nothing : *expected, own, "", headroom);
            if (!found.empty()) return fmt::format("step {} ({}): {}", number, text_of(step, "op"), found);
        }
        ++number;
    }
    return "";
}

}  // namespace bayplan::conformance
