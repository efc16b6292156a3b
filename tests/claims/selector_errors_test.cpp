// Whether a selector ends in an error on some device, kept from change to change, against asking every device; and expressions
// in pieces.
#include <map>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/claims/claims_world.h"

namespace bayplan::testing {
namespace {

constexpr int kSteps = 2'000;

class Selectors : public ::testing::Test, protected ClaimsWorld {
protected:
    std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }

    std::shared_ptr<const DeviceSelector> selector(std::string_view expression) {
        return objects.selectors().compiled({text(expression)}).front();
    }

    // Devices lack an attribute, have it under one name or another, or of another type; all differ by uuid.
    ResourceSlice random_slice(std::uint32_t number) {
        ResourceSlice made = slice("s" + std::to_string(number), {});
        made.driver = text(below(3) == 0 ? "b.io" : "a.io");
        for (std::uint32_t at = 0; at < 1 + below(3); ++at) {
            SliceDevice one = device("d" + std::to_string(at));
            one.attributes.push_back(
                {text("uuid"), AttributeType::text, text("uuid-" + std::to_string(number * 10 + at)), 0});
            if (below(12) != 0) {
                const std::string_view name = below(2) == 0 ? "color" : below(4) == 0 ? "b.io/color" : "a.io/color";
                one.attributes.push_back({text(name), AttributeType::text, text(below(2) == 0 ? "red" : "blue"), 0});
            }
            if (below(10) == 0) {
                one.attributes.push_back({text("color"), AttributeType::number, 0, 3});
            }
            if (below(12) != 0) {
                one.capacities.push_back({text("memory"), text(below(15) == 0 ? "odd" : "1Gi")});
            }
            made.devices.push_back(std::move(one));
        }
        return made;
    }

    std::mt19937_64 random_{7};
};

TEST_F(Selectors, errors_are_those_of_asking_every_device) {
    const std::vector<std::shared_ptr<const DeviceSelector>> all = {
        selector("device.driver == 'a.io'"),
        selector("device.driver != 'a.io' || device.attributes['a.io'].color.startsWith('r')"),
        selector("device.attributes['a.io'].exists(k, device.attributes['a.io'][k] == 'red')"),
        selector(
            "!('memory' in device.capacity['b.io']) || device.capacity['b.io'].memory.isGreaterThan(quantity('1'))"),
        selector("device.attributes['b.io'].?color.orValue('x') < 'y'"),
        selector("is no expression"),
    };
    std::map<std::uint32_t, ResourceSlice> slices;
    std::map<bool, int> found;
    for (int step = 0; step < kSteps; ++step) {
        const std::uint32_t number = below(4);
        if (below(3) == 0) {
            objects.remove(random_slice(number));
            slices.erase(number);
        } else {
            slices[number] = random_slice(number);
            objects.apply(slices[number]);
        }
        for (const auto& one : all) {
            bool errs = false;
            for (const auto& [name, stated] : slices) {
                for (std::size_t at = 0; at < stated.devices.size(); ++at) {
                    errs = errs || DeviceVerdicts().of(one, stated, at, texts).error != nullptr;
                }
            }
            ASSERT_EQ(objects.errs_somewhere(one), errs) << "step " << step;
            ++found[errs];
        }
    }
    EXPECT_GT(found[true], kSteps / 2);
    EXPECT_GT(found[false], kSteps / 2);
}

TEST_F(Selectors, changes_further_back_than_are_kept_are_looked_at_all) {
    const auto color = selector("device.attributes['a.io'].color == 'red'");
    objects.apply(slice("s0", devices(1, "red")));
    EXPECT_FALSE(objects.errs_somewhere(color));
    for (int times = 0; times < 1 << 16; ++times) {
        objects.apply(slice("s1", devices(1, "blue")));
    }
    objects.apply(slice("s0", devices(1)));
    objects.apply(slice("s1", devices(1, "red")));
    EXPECT_TRUE(objects.errs_somewhere(color));
}

TEST_F(Selectors, pieces_of_an_expression_are_joined_by_0) {
    const auto pieces =
        objects.selectors().compiled({text("device.driver "), 0, text("=="), 0, text(" 'a.io'"), text("false"), 0});
    ASSERT_EQ(pieces.size(), 3u);
    EXPECT_EQ(pieces[0], selector("device.driver == 'a.io'"));
    EXPECT_EQ(pieces[1], selector("false"));
    EXPECT_FALSE(pieces[2]->fault.empty());  // of a 0 that joins nothing: an empty expression
}

}  // namespace
}  // namespace bayplan::testing
