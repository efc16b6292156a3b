// The watch decoder and pages of lists on any bytes, in pieces of any size: the size of pieces changes no event, and nothing
// is read that is not there.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "kube_shim/pod_facts.h"
#include "kube_shim/watch_decoder.h"

namespace {

using namespace bayplan;
using namespace bayplan::kube_shim;

struct Outcome {
    std::vector<std::string> events;
    bool sound = true;
    bool operator==(const Outcome&) const = default;
};

Outcome decode(std::string_view bytes, std::size_t piece) {
    Outcome outcome;
    WatchDecoder decoder;
    while (!bytes.empty() && outcome.sound) {
        const std::string_view part = bytes.substr(0, piece);
        bytes.remove_prefix(part.size());
        outcome.sound = decoder.feed(part, [&](WatchEvent event, const kube::ReadObject& object) {
            const PodFacts facts = read_pod_facts(object.value);
            outcome.events.push_back(std::to_string(static_cast<int>(event)) + std::string(object.kind) + facts.uid +
                                     facts.words.condition.message);
        });
    }
    return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (decode(text, text.size() + 1) != decode(text, 1 + data[0] % 31)) {
        std::abort();
    }
    std::string page = text;
    page.reserve(page.size() + kube::kTextPadding);
    std::vector<kube::ObjectFault> faults;
    kube::ListPage told;
    std::size_t objects = 0;
    kube::read_list_page(
        page, "page", [&](const kube::ReadObject&) { ++objects; }, told, faults);
    return 0;
}
