// A queues.yaml for a crowd: guarantees about as large as the cluster, short delays, fences and offsets.
//
// Thread and errors: see crowd.h.
#include "crowd_queues.h"

#include <vector>

namespace bayplan::property {

namespace {

std::string properties_of(Random& random) {
    static const std::vector<std::string> delays = {"1ms", "1ms", "1ms", "1ms", "1s", "soon"};
    std::string inside;
    const auto add = [&](std::uint64_t percent, const std::string& property) {
        if (random.chance(percent)) {
            inside += (inside.empty() ? "" : ", ") + property;
        }
    };
    add(85, "preemption.delay: " + random.pick(delays));
    add(14, "preemption.policy: " + std::string(random.chance(50) ? "fence" : "disabled"));
    add(15, "priority.offset: \"" + std::to_string(random.between(-4, 4)) + "\"");
    add(12, "priority.policy: fence");
    return inside.empty() ? "" : ", properties: {" + inside + "}";
}

struct Guarantee {
    std::int64_t vcore = -1;
    std::int64_t memory = -1;
    std::int64_t pods = -1;

    void add(const Guarantee& other) {
        vcore = vcore < 0 ? -1 : vcore + std::max<std::int64_t>(0, other.vcore);
        memory = memory < 0 ? -1 : memory + std::max<std::int64_t>(0, other.memory);
        pods = pods < 0 ? -1 : pods + std::max<std::int64_t>(0, other.pods);
    }
    std::string text() const {
        std::string inside;
        const auto add_one = [&](const char* name, std::int64_t value, const char* unit) {
            if (value >= 0) {
                inside +=
                    (inside.empty() ? "" : ", ") + std::string(name) + ": \"" + std::to_string(value) + unit + "\"";
            }
        };
        add_one("vcore", vcore, "m");
        add_one("memory", memory, "");
        add_one("pods", pods, "");
        return inside.empty() ? "" : ", resources: {guaranteed: {" + inside + "}}";
    }
};

Guarantee random_guarantee(Random& random) {
    Guarantee out;
    if (random.chance(65)) {
        out.vcore = random.chance(15) ? 0 : random.between(1, 24);
        out.memory = random.chance(25) ? random.between(0, 15) : -1;
        out.pods = random.chance(20) ? random.between(0, 8) : -1;
    }
    return out;
}

}  // namespace

std::string crowd_queues(Random& random) {
    const Guarantee x = random_guarantee(random);
    const Guarantee y = random_guarantee(random);
    Guarantee a = random.chance(60) ? Guarantee{} : random_guarantee(random);
    a.add(x);
    a.add(y);
    std::string text = "partitions:\n- name: default\n";
    text += random.chance(4) ? "  preemption: {enabled: false}\n" : "";
    text += "  queues:\n  - name: root\n    submitacl: \"*\"\n    queues:\n";
    text += "    - {name: a" + a.text() + properties_of(random) + ", queues: [\n";
    text += "        {name: x" + x.text() + properties_of(random) + "},\n";
    text += "        {name: y" + y.text() + properties_of(random) + "}]}\n";
    text += "    - {name: b" + random_guarantee(random).text() + properties_of(random) + "}\n";
    text += "    - {name: c" + random_guarantee(random).text() + properties_of(random) + "}\n";
    return text;
}

}  // namespace bayplan::property
