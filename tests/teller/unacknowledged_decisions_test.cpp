// The decisions of one shim: sent in order, sent again from the middle, let go when acknowledged.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "teller/unacknowledged_decisions.h"

namespace bayplan {
namespace {

void append(UnacknowledgedDecisions& outbox, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t number = first; number <= last; ++number) {
        const std::string name = "pod-" + std::to_string(number);
        outbox.append({.kind = DecisionKind::allocated, .name = name, .node = "node", .text = {}, .devices = {}});
    }
}

// Numbers of what is sent now; each must have the name of its number. At most so many batches are taken.
std::vector<std::uint64_t> sent(UnacknowledgedDecisions& outbox, std::size_t batches = SIZE_MAX) {
    std::vector<std::uint64_t> numbers;
    std::size_t taken = 0;
    outbox.send_to([&](const std::shared_ptr<const DecisionBatch>& batch, std::size_t skip) {
        if (taken++ == batches) {
            return false;
        }
        for (std::size_t i = skip; i < batch->decisions.size(); ++i) {
            numbers.push_back(batch->first_sequence + i);
            EXPECT_EQ(batch->decisions[i].name, "pod-" + std::to_string(numbers.back()));
        }
        return true;
    });
    return numbers;
}

TEST(UnacknowledgedDecisions, ARefusedBatchIsOfferedAgain) {
    UnacknowledgedDecisions outbox;
    append(outbox, 1, 3'000);
    EXPECT_EQ(sent(outbox, 1).size(), 1'024u);
    EXPECT_FALSE(outbox.all_sent());
    const std::vector<std::uint64_t> rest = sent(outbox);
    EXPECT_EQ(rest.front(), 1'025u);
    EXPECT_EQ(rest.back(), 3'000u);
    EXPECT_TRUE(outbox.all_sent());
}

TEST(UnacknowledgedDecisions, AfterAReconnectTheRestGoesOutAgain) {
    UnacknowledgedDecisions outbox;
    append(outbox, 1, 2'000);
    sent(outbox);
    outbox.acknowledge(1'024);
    outbox.acknowledge(1'500);  // in the middle of a batch
    outbox.send_again_after(1'500);
    append(outbox, 2'001, 2'010);
    const std::vector<std::uint64_t> again = sent(outbox);
    ASSERT_EQ(again.size(), 510u);
    EXPECT_EQ(again.front(), 1'501u);
    EXPECT_EQ(again.back(), 2'010u);
}

// Each piece of text is larger than the one before, up to a limit: a batch of long texts has hundreds of pieces.
TEST(UnacknowledgedDecisions, LongTextsOfAWholeBatchAreKept) {
    UnacknowledgedDecisions outbox;
    for (int number = 0; number < 1'024; ++number) {
        const std::string text(4'000, static_cast<char>('a' + number % 26));
        outbox.append({.kind = DecisionKind::ask_rejected, .name = "pod", .node = {}, .text = text, .devices = {}});
    }
    std::size_t pieces = 0;
    outbox.send_to([&](const std::shared_ptr<const DecisionBatch>& batch, std::size_t) {
        pieces = batch->text.size();
        for (std::size_t i = 0; i < batch->decisions.size(); ++i) {
            EXPECT_EQ(batch->decisions[i].text, std::string(4'000, static_cast<char>('a' + i % 26)));
        }
        return true;
    });
    EXPECT_GT(pieces, 200u);
    EXPECT_LT(pieces, 400u);  // 4 texts a piece, not one
}

TEST(UnacknowledgedDecisions, WhatIsAcknowledgedIsLetGo) {
    UnacknowledgedDecisions outbox;
    append(outbox, 1, 10);
    std::weak_ptr<const DecisionBatch> kept;
    outbox.send_to([&](const auto& batch, std::size_t) {
        kept = batch;
        return true;
    });
    outbox.acknowledge(9);
    EXPECT_FALSE(kept.expired());
    outbox.acknowledge(10);
    EXPECT_TRUE(kept.expired());
}

}  // namespace
}  // namespace bayplan
