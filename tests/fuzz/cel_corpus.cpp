// Writes selectors of devices as seeds for cel_fuzz.
//
// Usage: cel_corpus DIRECTORY
#include <string>
#include <vector>

#include "seeds.h"

namespace {

const std::vector<std::string> kSelectors = {
    "device.driver == 'gpu.example.com' && device.attributes['gpu.example.com'].model.lowerAscii().matches('^a[0-9]+')",
    "has(device.attributes[\"gpu.example.com\"].index) ? device.attributes[\"gpu.example.com\"].index % 2 == 0 : true",
    "device.capacity[\"gpu.example.com\"].memory.sub(quantity(\"1Gi\")).compareTo(quantity('39Gi')) >= 0",
    "device.attributes['gpu.example.com'].ver.isGreaterThan(semver('v1.2', true)) || !isSemver('1.2')",
    "[1, 2, 3].filter(x, x > 1).map(x, x * 2).exists(i, v, v == 6 && i == 1)",
    "cel.bind(g, device.attributes['gpu.example.com'], g.?index.orValue(3) == 3 && 'ok' in g)",
    "device.attributes['other.example.com'][?'x'].hasValue() && optional.of(1).or(optional.none()).value() == 1",
    "isIP('10.0.0.1') && cidr('10.0.0.0/8').containsIP(ip('10.1.2.3')) && ip('::1').family() == 6",
    "'a,b'.split(',').join('-').replace('a', 'b', 1).substring(0, 1).charAt(0) + 'x' == 'bx'",
    "sets.contains([1, 2], [1]) && [[1], [2]].flatten().sort().isSorted() && type(1) == int && -5 < 0x1F",
};

}  // namespace

int main(int argc, char** argv) {
    bayplan::fuzz::Seeds seeds;
    for (const std::string& selector : kSelectors) {
        seeds.emplace_back(std::to_string(seeds.size()), selector);
    }
    return bayplan::fuzz::write_seeds(argc, argv, seeds);
}
