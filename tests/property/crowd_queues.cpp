// A queues.yaml for a crowd: guarantees about as large as the cluster, short delays, fences and offsets.
//
// Thread and errors: see crowd.h.
#include "crowd_queues.h"

#include <vector>

namespace bayplan::property {

namespace {

// Of queues that shrink to their maxima; of its own: the crowds of before there were any stay as they are.
struct Quotas {
    explicit Quotas(std::uint64_t seed)
        : random(seed),
          on(random.chance(40)),
          of_rests(~seed),
          rests(of_rests.chance(20)),
          tight(!on && of_rests.chance(40)) {}

    Random random;
    bool on;
    Random of_rests;  // of applications, and of maxima that are used up; likewise
    bool rests;
    bool tight;  // the maximum of a parent is what its children are guaranteed
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
    if (quotas.rests && quotas.of_rests.chance(60)) {
        static const std::vector<std::string> counts = {"1", "2", "2", "3", "0", "many"};
        static const std::vector<std::string> long_for = {"1ms", "4ms", "50ms", "1s", "soon"};
        inside += (inside.empty() ? "" : ", ") + ("application.unschedasks.backoff: " + quotas.of_rests.pick(counts)) +
                  ", application.unschedasks.backoff.delay: " + quotas.of_rests.pick(long_for);
    }
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
    // The same, or little more: of one kind at least.
    Guarantee tight(Random& random) const {
        Guarantee out;
        out.vcore = std::max<std::int64_t>(4, vcore) + random.between(0, 3);
        out.pods = random.chance(30) ? std::max<std::int64_t>(2, pods) + random.between(0, 2) : -1;
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
    Guarantee x = random_guarantee(random);
    Guarantee y = random_guarantee(random);
    Guarantee a = random.chance(60) ? Guarantee{} : random_guarantee(random);
    a.add(x);
    a.add(y);
    Quotas quotas(~Random(random).next());
    if (quotas.tight) {
        x = {};
        x.vcore = quotas.of_rests.between(4, 24);
        y = {};
        y.vcore = quotas.of_rests.chance(50) ? quotas.of_rests.between(0, 6) : -1;
        a = x;
        a.add(y);
    }
    // Of a queue, or of both above which it stands: a child's would have to be within its parent's.
    const bool of_children = quotas.random.chance(60);
    const auto what = [&](const std::string& properties, const Guarantee& guarantee, bool may_have_max,
                          bool is_parent = false) {
        const bool has_max = quotas.on && may_have_max && quotas.random.chance(75);
        const bool parent_is_tight = quotas.tight && is_parent;
        const std::string max = has_max           ? guarantee.maximum(quotas.random).text("max")
                                : parent_is_tight ? guarantee.tight(quotas.of_rests).text("max")
                                                  : "";
        return guarantee.resources(max) + properties;
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
    text += "    - {name: a" + what(properties_of(random, quotas), a, !of_children, true) + ", queues: [\n";
    // Mostly all pods beside it rank below its asks, and little of what they hold is guaranteed.
    const std::string usual = properties_of(random, quotas);
    const bool above = quotas.tight && quotas.of_rests.chance(80);
    const std::string of_x = above ? ", properties: {preemption.delay: 1ms, priority.offset: \"1000\"}" : usual;
    text += "        {name: x" + what(of_x, x, of_children) + "},\n";
    text += "        {name: y" + what(properties_of(random, quotas), y, of_children) + "}]}\n";
    text += "    - {name: b" + leaf() + "}\n";
    text += "    - {name: c" + leaf() + "}\n";
    return text;
}

}  // namespace bayplan::property
