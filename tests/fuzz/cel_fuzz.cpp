// Any text as a selector of devices: it compiles or is refused, and gives an answer on a device, twice the same, and the same
// on a device that has nothing but what the selector says that it reads.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "../cel/only_read.h"
#include "cel/selector.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace bayplan::cel;
    constexpr std::string_view kDriver = "gpu.example.com";
    static const std::vector<Attribute> kAttributes = {
        {"model", ValueType::text, "A100 näme", 0}, {"index", ValueType::number, "", INT64_MAX},
        {"ok", ValueType::boolean, "", 1},          {"ver", ValueType::version, "1.2.3-rc.1+b", 0},
        {"bad", ValueType::version, "1", 0},        {"other.example.com/x", ValueType::number, "", -1}};
    static const std::vector<Capacity> kCapacities = {{"memory", "40Gi"}, {"odd", "x"}};
    const auto compiled = Selector::compile(std::string_view(reinterpret_cast<const char*>(data), size));
    if (const auto* const selector = std::get_if<std::shared_ptr<const Selector>>(&compiled)) {
        const DeviceView device{kDriver, kAttributes, kCapacities};
        const Outcome first = (*selector)->evaluate(device);
        const Outcome second = (*selector)->evaluate(device);
        if (first.kind != second.kind || first.error != second.error) {
            std::abort();
        }
        const DeviceReads& reads = (*selector)->reads();
        if (!reads.everything) {
            const std::vector<Attribute> attributes = only_read(kAttributes, kDriver, reads, false);
            const std::vector<Capacity> capacities = only_read(kCapacities, kDriver, reads, true);
            const Outcome third = (*selector)->evaluate({kDriver, attributes, capacities});
            if (first.kind != third.kind || first.error != third.error) {
                std::abort();
            }
        }
    }
    return 0;
}
