// A queues.yaml for a crowd: guarantees about as large as the cluster, short delays, fences and offsets.
//
// Thread and errors: see crowd.h.
#include "crowd_queues.h"

#include <vector>

namespace bayplan::property {

namespace {

// Of queues that shrink to their maxima; of its own: the crowds of before there were any stay as they are.
struct Quotas {
    explicit Quotas(std::uint64_t seed) : random(seed), on(random.chance(40)) {}

    Random random;
    bool on;
    std::string delay() {
        static const std::vector<std::string> delays = {"1ms", "1ms", "1ms", "4ms", "1s", "soon"};
        return on && random.chance(85) ? "quota.preemption.delay: " + random.pick(delays) : "";
    }
};

std::string properties_of(Random& random, Quotas& quotas) {
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
    const std::string delay = quotas.delay();
    inside += (inside.empty() || delay.empty() ? "" : ", ") + delay;
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
    // The same, and at most so much more.
    Guarantee maximum(Random& random) const {
        const auto more = [&](std::int64_t value) { return std::max<std::int64_t>(0, value) + random.between(0, 7); };
        Guarantee out;
        out.vcore = random.chance(80) ? more(vcore) : -1;
        out.memory = random.chance(20) ? more(memory) : -1;
        out.pods = random.chance(25) ? more(pods) : -1;
        return out;
    }
    std::string resources(const std::string& max) const {
        const std::string guaranteed = text("guaranteed");
        const std::string both = guaranteed + (guaranteed.empty() || max.empty() ? "" : ", ") + max;
        return both.empty() ? "" : ", resources: {" + both + "}";
    }
    std::string text(const std::string& name) const {
        std::string inside;
        const auto add_one = [&](const char* kind, std::int64_t value, const char* unit) {
            if (value >= 0) {
                inside +=
                    (inside.empty() ? "" : ", ") + std::string(kind) + ": \"" + std::to_string(value) + unit + "\"";
            }
        };
        add_one("vcore", vcore, "m");
        add_one("memory", memory, "");
        add_one("pods", pods, "");
        return inside.empty() ? "" : name + ": {" + inside + "}";
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
    Quotas quotas(~Random(random).next());
    // Of a queue, or of both above which it stands: a child's would have to be within its parent's.
    const bool of_children = quotas.random.chance(60);
    const auto what = [&](const std::string& properties, const Guarantee& guarantee, bool may_have_max) {
        const bool has_max = quotas.on && may_have_max && quotas.random.chance(75);
        return guarantee.resources(has_max ? guarantee.maximum(quotas.random).text("max") : "") + properties;
    };
    const auto leaf = [&] {
        const std::string properties = properties_of(random, quotas);
        return what(properties, random_guarantee(random), true);
    };
    std::string text = "partitions:\n- name: default\n";
    const std::string off = random.chance(4) ? "enabled: false" : "";
    const std::string on = quotas.on ? "quotapreemptionenabled: true" : "";
    if (!off.empty() || !on.empty()) {
        text += "  preemption: {" + off + (off.empty() || on.empty() ? "" : ", ") + on + "}\n";
    }
    text += "  queues:\n  - name: root\n    submitacl: \"*\"\n    queues:\n";
    text += "    - {name: a" + what(properties_of(random, quotas), a, !of_children) + ", queues: [\n";
    text += "        {name: x" + what(properties_of(random, quotas), x, of_children) + "},\n";
    text += "        {name: y" + what(properties_of(random, quotas), y, of_children) + "}]}\n";
    text += "    - {name: b" + leaf() + "}\n";
    text += "    - {name: c" + leaf() + "}\n";
    return text;
}

}  // namespace bayplan::property
