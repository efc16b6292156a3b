// A thousand damaged files: each is accepted, or refused with the place of every fault.
#include <random>

#include <gtest/gtest.h>

#include "queue_config/load.h"
#include "queue_seeds.h"

namespace bayplan::queue_config {
namespace {

class Damage {
public:
    explicit Damage(std::uint32_t seed) : random_(seed) {}

    std::string apply(std::string text) {
        for (int count = 1 + below(4); count > 0; --count) text = once(std::move(text));
        return text;
    }

private:
    int below(std::size_t most) { return static_cast<int>(random_() % std::max<std::size_t>(most, 1)); }
    std::size_t any_place(const std::string& text) { return static_cast<std::size_t>(below(text.size() + 1)); }

    std::string once(std::string text) {
        const std::size_t at = any_place(text);
        switch (below(7)) {
            case 0: return text.insert(at, 1, kSigns[static_cast<std::size_t>(below(kSigns.size()))]);
            case 1: return at < text.size() ? text.erase(at, static_cast<std::size_t>(1 + below(12))) : text;
            case 2:
                if (at < text.size()) text[at] = static_cast<char>(below(256));
                return text;
            case 3: return text.substr(0, at);
            case 4: return text.insert(any_place(text), text.substr(at, static_cast<std::size_t>(below(80))));
            case 5: return text.insert(at, kWords[static_cast<std::size_t>(below(kWords.size()))]);
            default: return move_line(std::move(text), at);
        }
    }

    // A line somewhere else, and deeper or less deep.
    std::string move_line(std::string text, std::size_t near) {
        const std::size_t end = text.find('\n', near);
        if (end == std::string::npos) return text;
        const std::size_t before = text.rfind('\n', near);
        const std::size_t start = before == std::string::npos ? 0 : before + 1;
        if (start > end) return text;
        const std::string line = text.substr(start, end + 1 - start);
        text.erase(start, line.size());
        const std::size_t there = text.find('\n', any_place(text));
        const std::string blanks(static_cast<std::size_t>(below(4)), ' ');
        return text.insert(there == std::string::npos ? 0 : there + 1, blanks + line);
    }

    static constexpr std::string_view kSigns = ":-?,[]{}&*!|>'\"%@`#~ \t\n\\0.$^(";
    static constexpr std::array<std::string_view, 12> kWords = {
        "*bounds", "&b ", "null", "!!str ", "<<: ", "root", "- ", "{}", ".inf", "- null\n", "1e3", "\xC3\xBC"};
    std::mt19937 random_;
};

TEST(MutatedQueueFiles, each_is_accepted_or_refused_with_a_place) {
    int accepted = 0;
    int refused = 0;
    for (std::uint32_t seed = 0; seed < 1000; ++seed) {
        const std::string text = Damage(seed).apply(std::string(kQueueSeeds[seed % kQueueSeeds.size()]));
        SchedulerConfig config;
        config::Faults faults;
        const bool sound = load_queue_config(text, "q.yaml", config, faults);
        ASSERT_EQ(sound, faults.empty()) << text;
        ++(sound ? accepted : refused);
        for (const config::Fault& fault : faults) {
            ASSERT_TRUE(fault.position.line > 0 && fault.position.column > 0) << fault.to_string() << "\n" << text;
        }
    }
    EXPECT_GT(accepted, 50);
    EXPECT_GT(refused, 400);
}

TEST(MutatedQueueFiles, seeds_themselves_are_sound) {
    for (const std::string_view seed : kQueueSeeds) {
        SchedulerConfig config;
        config::Faults faults;
        EXPECT_TRUE(load_queue_config(std::string(seed), "q.yaml", config, faults)) << seed;
        for (const config::Fault& fault : faults) ADD_FAILURE() << fault.to_string();
    }
}

}  // namespace
}  // namespace bayplan::queue_config
