// Keys of asks: keys of any form come back as they were, in little room, and leave nothing behind.

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "apps/ask_index.h"
#include "apps/ask_table.h"
#include "apps/key_store.h"

namespace bayplan {
namespace {

std::string uuid(std::mt19937_64& random) {
    std::string text = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    for (char& letter : text) {
        letter = letter == 'x' ? "0123456789abcdef"[random() % 16] : letter;
    }
    return text;
}

TEST(KeyStore, every_kind_of_key_comes_back_as_it_was) {
    std::mt19937_64 random(3);
    std::vector<std::string> texts = {"p",
                                      "pod-17",
                                      "a-",
                                      "-",
                                      "--------",
                                      "/",
                                      "12345678-1234-1234-1234-12345678901",
                                      "namespace/",
                                      "12345678-1234-1234-1234-12345678901g",
                                      "12345678-1234-1234-1234-12345678901A",
                                      "12345678x1234-1234-1234-123456789012",
                                      "\xf0\x9f\x9a\x80 rocket-\xf0\x9f\x9a\x80",
                                      std::string(62, 'a'),
                                      std::string(63, 'a'),
                                      std::string(64, 'a'),
                                      std::string(255, 'b'),
                                      std::string(254, 'b') + "-",
                                      std::string(253, 'b') + "-c",
                                      std::string(254, 'b') + "-c",
                                      std::string(512, 'c'),
                                      std::string(200, 'd') + "-" + std::string(300, 'e'),
                                      std::string("\0-\0", 3)};
    for (int i = 0; i < 100; ++i) texts.push_back(uuid(random));
    for (int i = 0; i < 100; ++i) texts.push_back("team-7/web-5d4f8c7b9-" + std::to_string(random() % 100'000));
    // Behind a prefix there may be much, and up to two bytes of prefixes' numbers.
    for (int i = 0; i < 1'000; ++i) {
        for (int pod = 0; pod < 3; ++pod) {
            texts.push_back("namespace-" + std::to_string(i) + "-" + std::string(random() % 90, 'z'));
        }
    }
    KeyStore store;
    std::vector<AskKey> keys;
    for (const std::string& text : texts) keys.push_back(store.add(text));
    for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(store.text(keys[i]).view(), texts[i]);
    EXPECT_GE(store.prefixes(), 1'000u);
    for (const AskKey key : keys) store.remove(key);
    EXPECT_EQ(store.prefixes(), 0u);
}

TEST(KeyStore, a_key_takes_as_much_room_as_it_has_of_its_own) {
    const auto bytes_each = [](auto&& text_of) {
        KeyStore store;
        for (int i = 0; i < 50'000; ++i) store.add(text_of(i));
        return static_cast<double>(store.bytes()) / 50'000;
    };
    std::mt19937_64 random(4);
    EXPECT_LE(bytes_each([&](int) { return uuid(random); }), 20.5);
    // A namespace, a controller's name, and five letters.
    EXPECT_LE(bytes_each([](int i) {
                  return "department-4/service-" + std::to_string(i / 50) + "-7d9f8b6c5d-" +
                         std::to_string(10'000 + i % 50 * 7);
              }),
              10.5);
    // Of controllers with one pod each nothing is common.
    KeyStore lonely;
    for (int i = 0; i < 50'000; ++i) lonely.add("department-4/job-" + std::to_string(i) + "-x7k2p");
    EXPECT_LE(lonely.prefixes(), 50u);
}

// Enough of them that the memory of their prefixes is given back.
TEST(KeyStore, prefixes_that_are_gone_are_forgotten) {
    KeyStore store;
    std::vector<AskKey> keys;
    for (int job = 0; job < 5'000; ++job) {
        for (const char* pod : {"a", "b", "c"}) {
            keys.push_back(store.add("batch/job-" + std::to_string(job) + "-" + pod));
        }
    }
    EXPECT_EQ(store.prefixes(), 5'000u);
    for (const AskKey key : keys) store.remove(key);
    EXPECT_EQ(store.prefixes(), 0u);
    for (const char* text : {"batch/job-4999-a", "batch/job-0-b", "-", "web-1"}) {
        EXPECT_EQ(KeyText(store, store.add(text)).view(), text);
    }
}

TEST(AskIndex, finds_by_key_what_is_there_and_shrinks_with_it) {
    AskTable asks;
    AskIndex index(asks);
    std::map<std::string, AskId> model;
    std::mt19937_64 random(9);
    std::uint64_t sequence = 0;
    std::size_t most = 0;
    for (int step = 0; step < 60'000; ++step) {
        if (model.empty() || random() % 100 < (step < 30'000 ? 80u : 5u)) {
            const std::string key = "namespace-one/pod-" + std::to_string(random() % 1'000'000);
            ASSERT_EQ(index.find(key), model.contains(key) ? model.at(key) : kNone<AskId>);
            if (model.contains(key)) continue;
            const AskId id = asks.add(key, ++sequence);
            index.insert(id);
            model.emplace(key, id);
        } else {
            const auto chosen = random() % 3 == 0 ? model.begin() : std::prev(model.end());
            ASSERT_EQ(index.find(chosen->first), chosen->second);
            index.remove(chosen->second);
            asks.remove(chosen->second);
            EXPECT_EQ(index.find(chosen->first), kNone<AskId>);
            model.erase(chosen);
        }
        most = std::max(most, index.bytes());
        ASSERT_EQ(index.size(), model.size());
        if (step % 5'000 == 0) {
            std::set<AskId> there;
            for (const auto& [key, id] : model) there.insert(id);
            ASSERT_EQ(index.all(), std::vector(there.begin(), there.end()));
        }
    }
    for (const AskId id : index.all()) {
        index.remove(id);
        asks.remove(id);
    }
    EXPECT_EQ(index.size(), 0u);
    EXPECT_GT(most, 100'000u);
    EXPECT_LT(index.bytes(), most / 3);
}

TEST(AskTable, a_handle_of_an_ask_that_is_gone_finds_nothing_in_its_old_place) {
    AskTable asks;
    const AskId first = asks.add("one", 1);
    const AskHandle handle = asks.handle(first);
    EXPECT_NE(asks.find(handle), nullptr);
    asks.remove(first);
    EXPECT_EQ(asks.find(handle), nullptr);
    const AskId second = asks.add("two", 2);
    ASSERT_EQ(second, first);
    EXPECT_EQ(asks.find(handle), nullptr);
    EXPECT_EQ(asks.key(second).view(), "two");
}

TEST(AskTable, every_grace_period_is_kept_however_many_there_are) {
    AskTable asks;
    std::vector<AskId> ids;
    for (std::int32_t seconds = 0; seconds < 2'000; ++seconds) {
        ids.push_back(asks.add("a" + std::to_string(seconds), static_cast<std::uint64_t>(seconds) + 1));
        asks.set_grace(ids.back(), seconds);
    }
    for (std::int32_t seconds = 0; seconds < 2'000; ++seconds) {
        EXPECT_EQ(asks.grace_s(ids[static_cast<std::size_t>(seconds)]), seconds);
    }
    for (const AskId id : ids) asks.set_grace(id, INT32_MAX);
    for (const AskId id : ids) EXPECT_EQ(asks.grace_s(id), INT32_MAX);
    for (const AskId id : ids) asks.remove(id);
    const AskId fresh = asks.add("b", 5'000);
    EXPECT_EQ(asks.grace_s(fresh), 30);
}

}  // namespace
}  // namespace bayplan
