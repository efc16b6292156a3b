// Seeds of kube_watch_fuzz: lines of watches and a page, as an API server writes them; the first byte is the size of pieces.
#include <string>

#include "seeds.h"

int main(int argc, char** argv) {
    const std::string pod =
        R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","uid":"u","resourceVersion":"7"},)"
        R"("status":{"conditions":[{"type":"PodScheduled","status":"False","message":"m\u00e4"}]}})";
    const auto line = [](const std::string& type, const std::string& object) {
        return R"({"type":")" + type + R"(","object":)" + object + "}\n";
    };
    const std::string expired = R"({"kind":"Status","status":"Failure","message":"too old","code":410})";
    return bayplan::fuzz::write_seeds(
        argc, argv,
        {{"events", "\x05" + line("ADDED", pod) + line("MODIFIED", pod) + line("DELETED", pod)},
         {"bookmark", "\x01" + line("BOOKMARK", R"({"kind":"Node","metadata":{"resourceVersion":"9"}})")},
         {"expired", "\x1e" + line("ERROR", expired)},
         {"page",
          "\x02"
          R"({"kind":"PodList","metadata":{"resourceVersion":"5","continue":"c"},"items":[)" +
              pod + "," + pod + "]}"},
         {"empty",
          "\x02"
          R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":null})"}});
}
