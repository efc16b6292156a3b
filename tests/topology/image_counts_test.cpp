// Scores of lists of images against a look at every node, while images come to nodes and leave them.
#include "topology/image_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "tests/property/random.h"
#include "topology/image_locality.h"

namespace bayplan {
namespace {

constexpr std::uint32_t kNodes = 64;
constexpr Text kImages = 12;

class ImageCountsTest : public ::testing::Test {
protected:
    void change_node(std::uint32_t number) {
        std::shared_ptr<NodeFacts> facts;
        if (random_.chance(80)) {
            facts = std::make_shared<NodeFacts>();
            for (Text image = 1; image <= kImages; ++image) {
                if (random_.below(1'000) < 1'000u >> image) {  // the last ones are on few nodes, often on none
                    facts->images.push_back({image, static_cast<std::int64_t>(random_.below(4)) << 28});
                }
            }
        }
        const std::shared_ptr<const NodeFacts> before = std::exchange(facts_[number], facts);
        counts_.change(static_cast<Slot>(number), before.get(), facts.get());
        note_bytes(before.get(), facts.get());
    }
    // An image has the bytes that the node said which had it first.
    void note_bytes(const NodeFacts* before, const NodeFacts* after) {
        for (const NodeImage& image : before != nullptr ? before->images : std::vector<NodeImage>()) {
            if (--nodes_with_[image.name] == 0) bytes_.erase(image.name);
        }
        for (const NodeImage& image : after != nullptr ? after->images : std::vector<NodeImage>()) {
            bytes_.emplace(image.name, image.bytes);
            ++nodes_with_[image.name];
        }
    }
    std::vector<std::int32_t> wanted(const std::vector<Text>& images) {
        const auto nodes = std::count_if(facts_.begin(), facts_.end(), [](const auto& one) { return one != nullptr; });
        std::vector<std::int32_t> scores;
        for (const auto& facts : facts_) {
            std::int64_t shares = 0;
            for (const Text image : images) {
                const bool has = facts != nullptr && std::any_of(facts->images.begin(), facts->images.end(),
                                                                 [&](const auto& one) { return one.name == image; });
                shares += has ? image_share(bytes_.at(image), nodes_with_.at(image), nodes) : 0;
            }
            scores.push_back(
                static_cast<std::int32_t>(image_locality(shares, static_cast<std::int64_t>(images.size()))));
        }
        return scores;
    }
    std::vector<Text> some_images() {
        std::vector<Text> images;
        for (std::int64_t left = random_.between(1, 4); left > 0; --left) {
            images.push_back(static_cast<Text>(random_.between(1, kImages)));
        }
        return images;
    }

    ImageCounts counts_;
    FactsBySlot facts_{FactsBySlot(kNodes)};
    std::map<Text, std::int64_t> nodes_with_, bytes_;
    property::Random random_{3};
};

TEST_F(ImageCountsTest, score_as_a_look_at_every_node_does) {
    struct Seen {
        ImageCounts::Version version;
        std::vector<std::int32_t> scores;
    };
    std::map<std::vector<Text>, Seen> seen;
    std::size_t same = 0;
    std::vector<std::vector<Text>> lists;
    for (int number = 0; number < 20; ++number) lists.push_back(some_images());
    for (int step = 0; step < 2'000; ++step) {
        change_node(static_cast<std::uint32_t>(random_.below(kNodes)));
        for (const std::vector<Text>& images : lists) {
            const std::vector<std::int32_t> scores = wanted(images);
            ASSERT_EQ(counts_.scores(images, facts_), scores) << step;
            const auto before = seen.find(images);
            if (before != seen.end() && before->second.version == counts_.version(images)) {
                ASSERT_EQ(before->second.scores, scores) << step;
                ++same;
            }
            seen[images] = {counts_.version(images), scores};
        }
    }
    EXPECT_GT(same, 10u);
}

TEST_F(ImageCountsTest, look_at_the_nodes_that_have_an_image_and_no_others) {
    for (std::uint32_t number = 0; number < kNodes; ++number) {
        facts_[number] = std::make_shared<NodeFacts>();
        counts_.change(static_cast<Slot>(number), nullptr, facts_[number].get());
    }
    NodeFacts with = *facts_[7];
    with.images = {{1, 1'000}};
    counts_.change(static_cast<Slot>(7), facts_[7].get(), &with);
    counts_.scores({1}, facts_);
    EXPECT_EQ(counts_.looks(), 1u);
    NodeFacts labelled = *facts_[8];
    labelled.labels = {{1, 2}};
    counts_.change(static_cast<Slot>(8), facts_[8].get(), &labelled);
    counts_.scores({1}, facts_);
    EXPECT_EQ(counts_.looks(), 1u);  // nothing of the image has changed
}

}  // namespace
}  // namespace bayplan
