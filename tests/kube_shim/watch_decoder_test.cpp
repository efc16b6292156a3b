// The watch decoder: pieces of any size, and what is no event.
#include "kube_shim/watch_decoder.h"

#include <gmock/gmock.h>

#include "world.h"

namespace bayplan::kube_shim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Taken {
    WatchDecoder decoder;
    std::vector<std::string> events;
    bool feed(std::string_view bytes) {
        return decoder.feed(bytes, [this](WatchEvent event, const kube::ReadObject& object) {
            events.push_back(std::to_string(static_cast<int>(event)) + " " + std::string(object.kind) + " " +
                             std::string(object.value["metadata"]["name"].text()));
        });
    }
};

const std::string kThree =
    event_text("ADDED", object_text("Pod", "a", "1")) +
    event_text("DELETED", object_text("Pod", "b\\u00e4", "2", R"("spec":{"x":[1,{"y":"}\n"}]})")) +
    event_text("BOOKMARK", object_text("Pod", "", "3"));

TEST(WatchDecoder, events_come_whole_whatever_the_pieces) {
    for (std::size_t piece = 1; piece < kThree.size(); piece += piece < 8 ? 1 : 13) {
        Taken taken;
        for (std::size_t at = 0; at < kThree.size(); at += piece) {
            ASSERT_TRUE(taken.feed(std::string_view(kThree).substr(at, piece)));
        }
        EXPECT_THAT(taken.events, ElementsAre("0 Pod a", "2 Pod b\xc3\xa4", "3 Pod "));
        EXPECT_EQ(taken.decoder.kept_bytes(), 0u);
    }
}

TEST(WatchDecoder, a_line_that_is_no_event_ends_the_stream) {
    for (const char* const line :
         {"{\"type\":\"ADDED\"}\n", "{\"object\":{}}\n", "nothing\n", "{\"type\":\"ADDED\",\"object\":3}\n",
          "{\"type\":\"GROWN\",\"object\":{}}\n", "{\"type\":\"ADDED\",\"object\":{\"a\":}}\n", "[]\n"}) {
        Taken taken;
        EXPECT_FALSE(taken.feed(line)) << line;
        EXPECT_FALSE(taken.decoder.fault().empty());
        EXPECT_FALSE(taken.feed(kThree)) << "what follows counts no more";
        EXPECT_TRUE(taken.events.empty());
    }
}

TEST(WatchDecoder, a_line_without_end_is_not_kept_for_ever) {
    Taken taken;
    const std::string much(1 << 20, 'x');
    bool sound = true;
    for (int i = 0; i < 64 && sound; ++i) {
        sound = taken.feed(much);
    }
    EXPECT_FALSE(sound);
    EXPECT_THAT(taken.decoder.fault(), HasSubstr("longer than"));
}

TEST(WatchDecoder, empty_lines_are_nothing) {
    Taken taken;
    EXPECT_TRUE(taken.feed("\n\r\n  \n" + kThree));
    EXPECT_EQ(taken.events.size(), 3u);
}

}  // namespace
}  // namespace bayplan::kube_shim
