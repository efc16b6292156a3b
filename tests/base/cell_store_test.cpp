// Cells of bytes: nobody's bytes are another's, and what is not in use is given back.

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/cell_store.h"

namespace bayplan {
namespace {

struct Kept {
    CellStore::Cell cell = 0;
    std::string text;
};

Kept keep(CellStore& store, const std::string& text) {
    const CellStore::Cell cell = store.add(text.size());
    std::memcpy(store.at(cell), text.data(), text.size());
    return {cell, text};
}

bool intact(const CellStore& store, const Kept& kept) {
    return std::memcmp(store.at(kept.cell), kept.text.data(), kept.text.size()) == 0;
}

TEST(CellStore, keeps_every_text_as_it_is_over_random_histories) {
    CellStore store;
    std::vector<Kept> kept;
    std::mt19937_64 random(5);
    for (int step = 0; step < 60'000; ++step) {
        if (kept.empty() || random() % 100 < (step / 10'000 % 2 == 0 ? 70u : 30u)) {
            // Mostly short ones, some long, a few longer than any size.
            const std::size_t most = random() % 50 == 0 ? 3'000 : random() % 4 == 0 ? 600 : 40;
            kept.push_back(keep(store, std::string(1 + random() % most, static_cast<char>('a' + random() % 26))));
        } else {
            const std::size_t at = random() % kept.size();
            ASSERT_TRUE(intact(store, kept[at]));
            store.remove(kept[at].cell);
            kept[at] = kept.back();
            kept.pop_back();
        }
    }
    for (const Kept& one : kept) EXPECT_TRUE(intact(store, one));
    for (const Kept& one : kept) store.remove(one.cell);
    EXPECT_LE(store.bytes(), 48u * 16'384) << "more than a slab per size is kept";
}

TEST(CellStore, wastes_little) {
    for (const std::size_t bytes : {2u, 9u, 12u, 17u, 33u, 64u, 65u, 100u, 200u, 500u, 1'000u}) {
        CellStore store;
        for (int i = 0; i < 20'000; ++i) store.add(bytes);
        const double each = static_cast<double>(store.bytes()) / 20'000;
        EXPECT_LE(each, static_cast<double>(bytes) * 1.15 + 4) << bytes;
    }
}

}  // namespace
}  // namespace bayplan
