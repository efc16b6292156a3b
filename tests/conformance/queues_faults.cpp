// Runs where YuniKorn is wrong, and a sentence says what should be. Each sentence is known by its digest, with the value
// that our answer to the last step must have; another sentence is a disagreement.
#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "queues_run.h"

namespace bayplan::conformance {
namespace {

struct Known {
    std::uint64_t sentence;  // FNV-1a
    const char* member;      // JSON pointer into the answer to the last step
    const char* value;
};

constexpr std::array<Known, 10> kKnown = {{
    {0x0386ee23622ba42e, "/order", R"(["y-1", "y-2", "y-3"])"},
    {0xe463cc836eb0455a, "/state/reservations", R"({"big": "n2"})"},
    {0xbef360477602539e, "/order", R"(["s1"])"},
    {0xbd48b638aeeb55c2, "/state/allocated/k1", R"("n1")"},
    {0xdd47d638b7d29454, "/state/allocated/k2", R"("n1")"},
    {0xfed43e3143c138f9, "/order", R"(["y-1", "y-2"])"},
    {0x32811f5b83ebae3c, "/state/pendingAsks", R"(["x-3", "x-4", "x-5"])"},
    {0x985237fd33963480, "/state/queues/root/headroom/memory", "0"},
    {0x48218bc61431f6a0, "/state/allocated/k1", R"("n1")"},
    {0xa45f2920c159fc42, "/order", R"(["x-1"])"},
}};

}  // namespace

std::uint64_t digest_of(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

std::string judge_schedule_fault(const json::object& test_case) {
    const std::uint64_t sentence = digest_of(text_of(test_case, "should"));
    const auto* const known = std::ranges::find(kKnown, sentence, &Known::sentence);
    if (known == kKnown.end()) return fmt::format("nobody has read what should be ({:#018x})", sentence);
    QueuesRun run(member(test_case, "reservations").as_bool());
    const std::string error = run.load(text_of(test_case, "yaml"));
    if (!error.empty()) return "the configuration is refused: " + error;
    json::value last;
    for (const json::value& step : member(test_case, "steps").as_array()) {
        last = run.step(step.as_object(), member(test_case, "nodesMatter").as_bool());
    }
    boost::system::error_code missing;
    const json::value* const own = last.find_pointer(known->member, missing);
    if (own == nullptr) return fmt::format("{} is missing", known->member);
    const bool same = json::serialize(*own) == json::serialize(json::parse(known->value));
    return same ? "" : fmt::format("{}: {}", known->member, json::serialize(*own));
}

}  // namespace bayplan::conformance
