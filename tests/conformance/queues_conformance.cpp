// Compares configuration, placement and order of queues with what the real YuniKorn answers.
// Usage: queues_conformance FILE...   the last line is "AGREE n of m"; status 1 if n is not m
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "queues_cases.h"

namespace bayplan::conformance {

const json::value& member(const json::object& object, std::string_view name) {
    const json::value* const found = object.if_contains(name);
    if (found == nullptr) throw std::runtime_error(fmt::format("a case without '{}'", name));
    return *found;
}

std::string text_of(const json::object& object, std::string_view name) {
    return std::string(member(object, name).as_string());
}

namespace {

struct Count {
    int agreed = 0;
    int judged = 0;
};

std::string judge(const std::string& suite, const json::object& test_case) {
    if (test_case.contains("should")) {
        if (const std::optional<std::string> answer = judge_engine_fault(test_case)) return *answer;
    }
    if (suite == "queues-validation") return judge_validation(test_case);
    if (suite == "queues-placement") return judge_placement(test_case);
    if (suite == "queues-schedule") {
        return test_case.contains("should") ? judge_schedule_fault(test_case) : judge_schedule(test_case);
    }
    throw std::runtime_error(fmt::format("'{}' is no suite of queues", suite));
}

void judge_file(const char* file, Count& count) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw std::runtime_error(fmt::format("{} cannot be read", file));
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const json::value parsed = json::parse(text);
    const json::object& document = parsed.as_object();
    for (const json::value& value : member(document, "cases").as_array()) {
        const json::object& test_case = value.as_object();
        const std::string suite = text_of(test_case.contains("suite") ? test_case : document, "suite");
        const std::string difference = judge(suite, test_case);
        ++count.judged;
        if (difference.empty()) {
            ++count.agreed;
        } else {
            fmt::print("{} ({}): {}\n", text_of(test_case, "name"), text_of(test_case, "about"), difference);
        }
    }
}

}  // namespace
}  // namespace bayplan::conformance

int main(int argc, char** argv) {
    bayplan::conformance::Count count;
    try {
        for (int at = 1; at < argc; ++at) bayplan::conformance::judge_file(argv[at], count);
    } catch (const std::exception& fault) {
        fmt::print(stderr, "queues_conformance: {}\n", fault.what());
        return 2;
    }
    fmt::print("AGREE {} of {}\n", count.agreed, count.judged);
    return count.agreed == count.judged && count.judged > 0 ? 0 : 1;
}
