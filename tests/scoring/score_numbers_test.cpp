// Scores on plain numbers: the worked examples (S4 to S8) and boundaries.

#include <vector>

#include <gtest/gtest.h>

#include "scoring/normalise.h"
#include "scoring/requested_to_capacity_ratio.h"
#include "topology/image_locality.h"

namespace bayplan {
namespace {

TEST(RequestedToCapacityRatio, broken_line) {
    const ShapePoint rising[] = {{0, 0}, {100, 100}};
    EXPECT_EQ(shape_score(rising, 0), 0);
    EXPECT_EQ(shape_score(rising, 37), 37);
    EXPECT_EQ(shape_score(rising, 100), 100);
    const ShapePoint bent[] = {{10, 20}, {50, 80}, {80, 0}};
    EXPECT_EQ(shape_score(bent, 0), 20) << "level before the first corner";
    EXPECT_EQ(shape_score(bent, 10), 20);
    EXPECT_EQ(shape_score(bent, 11), 21) << "20 + 60 * 1 / 40";
    EXPECT_EQ(shape_score(bent, 50), 80);
    EXPECT_EQ(shape_score(bent, 51), 78) << "80 + (-80 * 1) / 30, truncated towards zero";
    EXPECT_EQ(shape_score(bent, 80), 0);
    EXPECT_EQ(shape_score(bent, 100), 0) << "level after the last";
}

TEST(RequestedToCapacityRatio, weighted_mean) {
    const ShapePoint rising[] = {{0, 0}, {100, 100}};
    const auto score = [&](std::vector<WeightedResourceUse> uses) { return requested_to_capacity_ratio(rising, uses); };
    EXPECT_EQ(score({{50, 100, 1}, {25, 100, 1}}), 38) << "37.5 is rounded away from zero";
    EXPECT_EQ(score({{50, 100, 3}, {25, 100, 1}}), 44) << "43.75";
    EXPECT_EQ(score({{50, 100, 1}, {0, 100, 9}}), 50) << "a kind of score 0 has no weight";
    EXPECT_EQ(score({{50, 100, 1}, {7, 0, 9}}), 50) << "a kind without capacity neither";
    EXPECT_EQ(score({{0, 100, 1}}), 0);
    EXPECT_EQ(score({}), 0);
    EXPECT_EQ(score({{101, 100, 1}}), 100) << "too much counts as full";
    EXPECT_EQ(score({{100, 100, 1}}), 100);
    EXPECT_EQ(score({{199, 300, 1}}), 66) << "utilisation truncates";
    const ShapePoint falling[] = {{0, 100}, {100, 0}};
    EXPECT_EQ(requested_to_capacity_ratio(falling, std::vector<WeightedResourceUse>{{101, 100, 1}, {10, 100, 1}}), 90)
        << "beyond full scores as full: 0 here, which is left out";
}

TEST(ImageLocality, worked_examples) {
    const std::int64_t bytes = 500 * kMebibyte;
    EXPECT_EQ(image_locality(image_share(bytes, 1, 10), 1), 2) << "S8";
    EXPECT_EQ(image_locality(image_share(bytes, 10, 10), 1), 48);
    EXPECT_EQ(image_locality(image_share(2000 * kMebibyte, 10, 10), 1), 100);
    EXPECT_EQ(image_locality(image_share(bytes, 10, 10), 2), 24);
}

TEST(ImageLocality, boundaries) {
    EXPECT_EQ(image_locality(0, 1), 0);
    EXPECT_EQ(image_locality(23 * kMebibyte, 1), 0);
    EXPECT_EQ(image_locality(1000 * kMebibyte, 1), 100);
    EXPECT_EQ(image_locality(1000 * kMebibyte - 1, 1), 99);
    EXPECT_EQ(image_locality(5000 * kMebibyte, 1), 100);
    EXPECT_EQ(image_locality(5000 * kMebibyte, 0), 0);
    EXPECT_EQ(image_share(10, 1, 3), 3) << "truncates";
    EXPECT_EQ(image_share(10, 2, 3), 6);
    EXPECT_EQ(image_share(10, 0, 3), 0);
}

TEST(Normalise, node_affinity) {
    const std::int64_t expected[] = {0, 28, 71, 100};  // S5
    const std::int64_t raw[] = {0, 2, 5, 7};
    for (int index = 0; index < 4; ++index) {
        EXPECT_EQ(normalised(raw[index], 7), expected[index]);
    }
    EXPECT_EQ(normalised(0, 0), 0);
}

TEST(Normalise, taint_toleration) {
    const std::int64_t expected[] = {100, 67, 34, 0};  // S4
    for (int index = 0; index < 4; ++index) {
        EXPECT_EQ(normalised_reverse(index, 3), expected[index]);
    }
    EXPECT_EQ(normalised_reverse(0, 0), 100);
}

TEST(Normalise, inter_pod_affinity) {
    EXPECT_EQ(normalised_between(0, 0, 29), 0);  // S6
    EXPECT_EQ(normalised_between(5, 0, 29), 17);
    EXPECT_EQ(normalised_between(29, 0, 29), 100);
    EXPECT_EQ(normalised_between(-10, -10, 3), 0);
    EXPECT_EQ(normalised_between(0, -10, 3), 76);
    EXPECT_EQ(normalised_between(3, -10, 3), 100);
    EXPECT_EQ(normalised_between(7, 7, 7), 0);
    // The division comes first: 100.0 * (29.0 / 100.0) is below 29.
    EXPECT_EQ(normalised_between(29, 0, 100), 28);
}

TEST(Normalise, spread) {
    const double weight = spread_weight(2);
    EXPECT_EQ(spread_raw(spread_share(3, weight, 1)), 4);  // S7
    EXPECT_EQ(spread_raw(spread_share(1, weight, 1)), 1);
    EXPECT_EQ(normalised_spread(4, 1, 4), 25);
    EXPECT_EQ(normalised_spread(1, 1, 4), 100);
    EXPECT_EQ(normalised_spread(0, 0, 0), 100) << "nothing anywhere";
    EXPECT_EQ(spread_raw(spread_share(0, weight, 5)), 4) << "skew alone";
    EXPECT_EQ(normalised_spread(4, 4, 4), 100);
    EXPECT_EQ(spread_raw(0.5), 1);
    EXPECT_EQ(spread_raw(1.4999), 1);
    EXPECT_DOUBLE_EQ(spread_weight(1), std::log(3.0));
}

}  // namespace
}  // namespace bayplan
