// Devices of one resource: which of them an amount gets, how far they reach, and how they are written.

#include <gtest/gtest.h>

#include "cluster/device_texts.h"
#include "cluster/devices.h"

namespace bayplan {
namespace {

using Numbers = std::vector<std::uint32_t>;

DeviceUse used(std::vector<std::int64_t> amounts) {
    return {kCpu, static_cast<std::uint32_t>(amounts.size()), std::move(amounts)};
}

TEST(DeviceUse, AShareGoesWhereTheLeastIsLeftOrTheMost) {
    const DeviceUse use = used({0, 600, 300, 600, 900});
    EXPECT_EQ(use.choose(300, DeviceChoice::fullest), Numbers{1});
    EXPECT_EQ(use.choose(401, DeviceChoice::fullest), Numbers{2});
    EXPECT_EQ(use.choose(100, DeviceChoice::fullest), Numbers{4});
    EXPECT_EQ(use.choose(100, DeviceChoice::emptiest), Numbers{0});
}

TEST(DeviceUse, WholeOnesGoToEmptyOnesInOrder) {
    DeviceUse use = used({0, 600, 0, 0});
    EXPECT_EQ(use.choose(1000, DeviceChoice::fullest), Numbers{0});
    EXPECT_EQ(use.choose(2000, DeviceChoice::fullest), (Numbers{0, 2}));
    EXPECT_EQ(use.choose(1300, DeviceChoice::fullest), (Numbers{0, 1}));
    EXPECT_EQ(use.choose(1300, DeviceChoice::emptiest), (Numbers{0, 2}));
    use.add(use.choose(1500, DeviceChoice::fullest), 1500, +1);
    EXPECT_EQ(use.used, (std::vector<std::int64_t>{1000, 600, 500, 0}));
    use.add(Numbers{0, 2}, 1500, -1);
    EXPECT_EQ(use.used, (std::vector<std::int64_t>{0, 600, 0, 0}));
}

TEST(DeviceUse, WhatDoesNotFitGetsWhatHasTheMostLeft) {
    DeviceUse use = used({700, 600});
    EXPECT_EQ(use.choose(500, DeviceChoice::fullest), Numbers{1});
    EXPECT_EQ(use.choose(5000, DeviceChoice::fullest), (Numbers{1, 0}));
    use.add(Numbers{1, 0}, 5000, +1);
    EXPECT_EQ(use.used, (std::vector<std::int64_t>{4700, 1600}));
    EXPECT_EQ(use.reach(), 0);
    EXPECT_EQ(used({}).choose(500, DeviceChoice::fullest), Numbers{});
}

TEST(DeviceUse, ReachIsWholeDevicesAndTheLargestRest) {
    EXPECT_EQ(used({0, 100, 0}).reach(), 2900);
    EXPECT_EQ(used({300, 100}).reach(), 900);
    DeviceUse shrunk = used({300, 0, 0});
    shrunk.count = 1;
    EXPECT_EQ(shrunk.reach(), 700);
}

TEST(DeviceUse, HoldsAreLaidOneAfterTheOther) {
    HoldList holds{{10, kCpu, 500}, {5, kCpu, 1000}, {5, kMemory, 1}};
    find_reaches({used({0, 400})}, DeviceChoice::fullest, holds);
    EXPECT_EQ(holds[0].reach, 1100);  // the share went beside the other one
    EXPECT_EQ(holds[1].reach, 100);
    EXPECT_EQ(holds[2].reach, kNoDevices);
}

TEST(DeviceText, IsReadAsItIsWritten) {
    EXPECT_EQ(devices_in("a/b=0+3,c=1", "a/b"), (Numbers{0, 3}));
    EXPECT_EQ(devices_in("a/b=0+3,c=1", "c"), Numbers{1});
    EXPECT_EQ(devices_in("a/b=0+3,c=1", "b"), Numbers{});
    for (const char* const good : {"", "a=0", "a=127", "a=1+0,b=2", "x.y/z-1_2=10"}) {
        EXPECT_TRUE(is_device_text(good)) << good;
    }
    for (const char* const bad : {"a", "a=", "=1", "a=01", "a=128", "a=1+1", "a=1,", ",a=1", "a=1,,b=1", "a=1,a=2",
                                  "a=+1", "a=1+", "a b=1", "a=1=2", "a=-1"}) {
        EXPECT_FALSE(is_device_text(bad)) << bad;
    }
}

}  // namespace
}  // namespace bayplan
