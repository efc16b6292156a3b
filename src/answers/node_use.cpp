// See node_use.h. Resources by number: a million pods are looked at for each scrape.
#include "answers/node_use.h"

#include <vector>

namespace bayplan::answers {

namespace {

std::int64_t percent_of(std::int64_t used, std::int64_t capacity) {
    if (capacity <= 0) {
        return used > 0 ? 100 : 0;
    }
    const double share = static_cast<double>(used) / static_cast<double>(capacity) * 100;
    return static_cast<std::int64_t>(std::min(share, 100.0));
}

}  // namespace

std::map<std::string, NodeCounts, std::less<>> node_use(const read_model::Version& version) {
    std::map<std::uint32_t, NodeCounts> by_number;
    read_model::AmountList used;
    version.nodes.for_each([&](std::uint32_t id, const read_model::Node& node) {
        used.clear();
        for (const std::uint32_t pod_id : version.pods_on(id)) {
            const read_model::Pod& pod = *version.pods.find(pod_id);
            if (!pod.is(read_model::kForeign)) {
                add(used, version.shape(pod).requests);
            }
        }
        for (const read_model::Amount& capacity : node.facts->capacity) {
            const auto found = std::ranges::find(used, capacity.resource, &read_model::Amount::resource);
            const std::int64_t percent = percent_of(found == used.end() ? 0 : found->value, capacity.value);
            ++by_number[capacity.resource][bucket_of(percent)];
        }
    });
    std::map<std::string, NodeCounts, std::less<>> by_name;
    for (const auto& [number, counts] : by_number) {
        by_name.emplace(version.texts.text(number), counts);
    }
    return by_name;
}

}  // namespace bayplan::answers
