// The states of an ask: the page of rules says what the table says, and what cannot be ends the program.

#include "apps/ask_state.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace bayplan {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream rest(line.substr(1));
    for (std::string cell; std::getline(rest, cell, '|');) {
        const std::size_t first = cell.find_first_not_of(' ');
        cells.push_back(first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
    }
    return cells;
}

// The page's last table: state, then event, then the state after it.
std::map<std::string, std::map<std::string, std::string>> page() {
    std::ifstream file(BAYPLAN_SOURCE_ROOT "/src/engine/rules/states.md");
    std::map<std::string, std::map<std::string, std::string>> rows;
    std::vector<std::string> events;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] != '|' || line.starts_with("|---")) {
            events = line.empty() ? std::vector<std::string>() : events;
            continue;
        }
        const std::vector<std::string> cells = cells_of(line);
        if (cells.size() == kAskEvents + 1 && events.empty()) {
            events = cells;
        } else if (cells.size() == kAskEvents + 1) {
            for (std::size_t at = 1; at < cells.size(); ++at) {
                rows[cells[0]][events[at]] = cells[at];
            }
        }
    }
    return rows;
}

TEST(AskState, ThePageOfRulesHasTheSameTable) {
    const auto rows = page();
    EXPECT_EQ(rows.size(), kAskStates);
    for (std::size_t state = 0; state < kAskStates; ++state) {
        for (std::size_t event = 0; event < kAskEvents; ++event) {
            const auto from = static_cast<AskState>(state);
            const auto by = static_cast<AskEvent>(event);
            const AskState to = state_after(from, by);
            const std::string name(name_of(from));
            ASSERT_TRUE(rows.contains(name) && rows.at(name).contains(std::string(to_string(by)))) << name;
            EXPECT_EQ(rows.at(name).at(std::string(to_string(by))), to == state_never() ? "-" : name_of(to))
                << name << " x " << to_string(by);
        }
    }
}

TEST(AskState, AnEventChangesTheStateAndUndoingItRestoresIt) {
    Ask ask;
    EXPECT_EQ(change_state(ask, AskEvent::enter), AskState::pending);
    EXPECT_EQ(change_state(ask, AskEvent::select), AskState::selected);
    const AskState before = ask.state;
    EXPECT_EQ(change_state(ask, AskEvent::place), AskState::unacknowledged);
    restore_state(ask, before);
    EXPECT_EQ(ask.state, AskState::selected);
}

TEST(AskStateDeathTest, WhatCannotBeEndsTheProgram) {
    Ask ask;
    change_state(ask, AskEvent::enter);
    EXPECT_DEATH(change_state(ask, AskEvent::place), "an ask that is pending cannot place");
    EXPECT_DEATH(change_state(ask, AskEvent::acknowledge), "an ask that is pending cannot acknowledge");
}

}  // namespace
}  // namespace bayplan
