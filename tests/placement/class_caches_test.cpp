// Caches of classes: what they keep is bounded in bytes, and ends with the class.

#include <gtest/gtest.h>

#include "cluster/resources.h"
#include "placement/class_caches.h"

namespace bayplan {
namespace {

constexpr std::uint32_t kCachedBlocks = 100;
constexpr std::size_t kPlainBytes = kCachedBlocks * 8;         // at least
constexpr std::size_t kColumnsBytes = kCachedBlocks * 64 * 4;  // at least

struct CachesOfClasses {
    explicit CachesOfClasses(std::size_t bytes_max) : caches(classes, bytes_max) {}

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
        ClassCache& cache = caches.use(id);
        cache.want_columns(columns);
        cache.resize(kCachedBlocks);
    }
    std::vector<ClassId> with_cache(const std::vector<ClassId>& ids) const {
        std::vector<ClassId> with;
        std::copy_if(ids.begin(), ids.end(), std::back_inserter(with),
                     [&](ClassId id) { return caches.find(id) != nullptr; });
        return with;
    }

    ResourceTable kinds;
    NameTable<NameId> names;
    TextTable texts;
    SpecTable specs{texts};
    ClassTable classes{kinds, names, specs};
    ClassCaches caches;
};

TEST(ClassCaches, caches_with_columns_are_fewer_than_plain_ones) {
    constexpr std::size_t kLimit = 20 * kColumnsBytes;
    for (const bool columns : {false, true}) {
        CachesOfClasses tables(kLimit);
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

TEST(ClassCaches, caches_that_grow_while_they_are_used_are_counted_as_they_are) {
    CachesOfClasses tables(20 * kColumnsBytes);
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

TEST(ClassCaches, a_cache_that_is_away_is_not_given_up_and_counts_again_when_it_is_back) {
    CachesOfClasses tables(20 * kColumnsBytes);
    const std::vector<ClassId> ids = tables.add(200);
    tables.use(ids[0], true);
    std::unique_ptr<ClassCache> away = tables.caches.lend(ids[0], 1);
    for (std::size_t at = 1; at < ids.size(); ++at) {
        tables.use(ids[at], true);
    }
    tables.caches.take_back(ids[0], std::move(away));
    EXPECT_NE(tables.caches.find(ids[0]), nullptr);
    for (std::size_t at = 1; at < ids.size(); ++at) {
        tables.use(ids[at], true);
    }
    EXPECT_EQ(tables.caches.find(ids[0]), nullptr);
    for (const ClassId id : ids) {
        tables.classes.release(id);
    }
    EXPECT_EQ(tables.classes.size(), 0u);
}

TEST(ClassCaches, a_class_that_is_gone_leaves_nothing_to_the_next_with_its_id) {
    CachesOfClasses tables(SIZE_MAX);
    const ClassId first = tables.add(1).front();
    tables.use(first, true);
    tables.caches[first].last_batch = 7;
    tables.classes.release(first);
    EXPECT_EQ(tables.caches.find(first), nullptr);
    const ClassId second = tables.add(1).front();
    ASSERT_EQ(second, first);
    EXPECT_EQ(tables.caches[second].last_batch, 0u);
    const ClassCache& cache = tables.caches.use(second);
    EXPECT_FALSE(cache.columns());
    EXPECT_EQ(cache.block_count(), 0u);
}

TEST(ClassCaches, a_class_whose_cache_is_away_stays_until_it_is_back) {
    CachesOfClasses tables(SIZE_MAX);
    const ClassId id = tables.add(1).front();
    tables.use(id, true);
    std::unique_ptr<ClassCache> away = tables.caches.lend(id, 1);
    tables.classes.release(id);
    EXPECT_EQ(tables.classes.size(), 1u);
    tables.caches.take_back(id, std::move(away));
    EXPECT_EQ(tables.classes.size(), 0u);
    EXPECT_EQ(tables.caches.find(id), nullptr);
}

}  // namespace
}  // namespace bayplan
