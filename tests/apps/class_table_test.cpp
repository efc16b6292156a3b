// Classes: what they keep is bounded in bytes, and what tells them apart is told apart at once.

#include <gtest/gtest.h>

#include "apps/class_table.h"
#include "cluster/resources.h"

namespace bayplan {
namespace {

constexpr std::uint32_t kBlocks = 100;
constexpr std::size_t kPlainBytes = kBlocks * 8;         // at least
constexpr std::size_t kColumnsBytes = kBlocks * 64 * 4;  // at least

struct Tables {
    explicit Tables(std::size_t cache_bytes_max = SIZE_MAX) : classes(kinds, names, specs, cache_bytes_max) {}

    std::vector<ClassId> add(int count) {
        std::vector<ClassId> ids;
        for (int number = 0; number < count; ++number) {
            AskClass one;
            one.requests = {{kCpu, 1 + number}};
            ids.push_back(classes.acquire(std::move(one)));
        }
        return ids;
    }
    void use(ClassId id, bool columns) {
        ClassCache& cache = classes.cache(id);
        cache.want_columns(columns);
        cache.resize(kBlocks);
    }
    std::vector<ClassId> with_cache(const std::vector<ClassId>& ids) const {
        std::vector<ClassId> with;
        std::copy_if(ids.begin(), ids.end(), std::back_inserter(with),
                     [&](ClassId id) { return classes[id].cache != nullptr; });
        return with;
    }

    ResourceTable kinds;
    NameTable<NameId> names;
    TextTable texts;
    SpecTable specs{texts};
    ClassTable classes;
};

TEST(ClassTable, caches_with_columns_are_fewer_than_plain_ones) {
    constexpr std::size_t kLimit = 20 * kColumnsBytes;
    for (const bool columns : {false, true}) {
        Tables tables(kLimit);
        const std::vector<ClassId> ids = tables.add(1'000);
        for (const ClassId id : ids) {
            tables.use(id, columns);
        }
        const std::vector<ClassId> with = tables.with_cache(ids);
        ASSERT_FALSE(with.empty());
        // The one used last is counted when the next is.
        EXPECT_LE((with.size() - 1) * (columns ? kColumnsBytes : kPlainBytes), kLimit);
        EXPECT_TRUE(columns ? with.size() <= 21 : with.size() > 100) << with.size();
        EXPECT_TRUE(std::equal(with.rbegin(), with.rend(), ids.rbegin())) << "others than the last used";
    }
}

TEST(ClassTable, caches_that_grow_while_they_are_used_are_counted_as_they_are) {
    Tables tables(20 * kColumnsBytes);
    const std::vector<ClassId> ids = tables.add(100);
    for (const ClassId id : ids) {
        tables.use(id, false);
    }
    EXPECT_EQ(tables.with_cache(ids).size(), 100u);
    for (const ClassId id : ids) {
        tables.use(id, true);
    }
    EXPECT_LE(tables.with_cache(ids).size(), 21u);
}

TEST(ClassTable, a_cache_that_is_away_is_not_given_up_and_counts_again_when_it_is_back) {
    Tables tables(20 * kColumnsBytes);
    const std::vector<ClassId> ids = tables.add(200);
    tables.use(ids[0], true);
    std::unique_ptr<ClassCache> away = tables.classes.lend_cache(ids[0], 1);
    for (std::size_t at = 1; at < ids.size(); ++at) {
        tables.use(ids[at], true);
    }
    tables.classes.return_cache(ids[0], std::move(away));
    EXPECT_NE(tables.classes[ids[0]].cache, nullptr);
    for (std::size_t at = 1; at < ids.size(); ++at) {
        tables.use(ids[at], true);
    }
    EXPECT_EQ(tables.classes[ids[0]].cache, nullptr);
    for (const ClassId id : ids) {
        tables.classes.release(id);
    }
    EXPECT_EQ(tables.classes.size(), 0u);
}

}  // namespace
}  // namespace bayplan
