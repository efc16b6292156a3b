// Texts of queues.
//
// Thread and errors: see random_queues.h.
#include "random_queues.h"

#include <array>

#include "queue_config/load.h"

namespace bayplan::property {

namespace {

// After how many failures applications rest, and for how long; of most queues nothing.
std::string rest(Random& random, bool after_others) {
    static const std::vector<std::string> counts = {"1", "1", "2", "2", "3", "0", "many"};
    static const std::vector<std::string> delays = {"1ms", "50ms", "1s", "10s", "soon"};
    if (!random.chance(40)) {
        return "";
    }
    return (after_others ? ", application.unschedasks.backoff: \"" : "application.unschedasks.backoff: \"") +
           random.pick(counts) + "\", application.unschedasks.backoff.delay: " + random.pick(delays);
}

class QueuesWriter {
public:
    explicit QueuesWriter(Random& random)
        : random_(random),
          of_preemption_(Random(random).next()),
          of_quotas_(~Random(random).next()),
          of_placement_(Random(random).next() ^ 0x5a5a5a5a),
          of_rests_(Random(random).next() ^ 0x3c3c3c3c3c) {}

    std::string write() {
        text_ = "partitions:\n- name: default\n";
        shrinks_ = of_quotas_.chance(35);
        rests_ = of_rests_.chance(30);
        text_ += shrinks_ ? "  preemption: {quotapreemptionenabled: true}\n" : "";
        rules();
        closed_ = of_placement_.chance(25);
        text_ += "  queues:\n  - name: root\n    submitacl: \"" + std::string(closed_ ? "ann b.c" : "*") + "\"\n";
        if (random_.chance(30)) {
            text_ += "    childtemplate: {resources: {max: " + amounts(4'000, 12'000) + "}, maxapplications: 2}\n";
        }
        limits("    ");
        text_ += "    queues:\n";
        for (const char* name : {"a", "b", "c"}) {
            if (random_.chance(85)) {
                parent(name);
            }
        }
        if (random_.chance(60)) {
            text_ += "    - name: default\n";
        }
        return text_;
    }

private:
    static std::string amounts(Random& random, std::int64_t low, std::int64_t high) {
        std::string out = "{vcore: " + std::to_string(random.between(low, high)) + "m";
        if (random.chance(50)) {
            out += ", memory: " + std::to_string(random.between(low, high)) + "M";
        }
        if (random.chance(15)) {
            out += ", pods: \"" + std::to_string(random.between(1, 6)) + "\"";
        }
        return out + "}";
    }
    std::string amounts(std::int64_t low, std::int64_t high) { return amounts(random_, low, high); }

    void rules() {
        static const std::vector<std::string> all = {
            "  placementrules: [{name: provided, create: true}, {name: user, create: true, parent: {name: fixed, "
            "value: c}}]\n",
            "  placementrules: [{name: user, create: true}, {name: fixed, value: root.b.y}]\n",
            "  placementrules:\n  - name: provided\n    create: false\n  - name: fixed\n    value: root.a.x\n",
        };
        const std::string usual = random_.chance(65) ? random_.pick(all) : "";
        text_ += of_placement_.chance(45) ? by_tags() : usual;
    }

    std::string by_tags() {
        static const std::vector<std::string> all = {
            "  placementrules: [{name: tag, value: namespace, create: true}, {name: provided, create: true}]\n",
            "  placementrules: [{name: tag, value: NAMESPACE, create: true, parent: {name: user, create: true}}]\n",
            "  placementrules:\n  - {name: provided, filter: {type: deny, users: [bob]}}\n"
            "  - {name: tag, value: namespace, create: true, filter: {groups: [ann, b.c]}}\n"
            "  - {name: fixed, value: root.a.x}\n",
        };
        return of_placement_.pick(all);
    }

    void access(const std::string& indent) {
        static const std::vector<std::string> lists = {"*", "bob", "ann,bob", " bob", "nobody ann"};
        if (closed_ && of_placement_.chance(40)) {
            text_ += indent + (of_placement_.chance(70) ? "submitacl" : "adminacl") + ": \"" +
                     of_placement_.pick(lists) + "\"\n";
        }
    }

    void properties(const std::string& indent) {
        std::string inside;
        const auto add = [&](std::uint64_t percent, const std::string& property) {
            if (random_.chance(percent)) {
                inside += (inside.empty() ? "" : ", ") + property;
            }
        };
        add(45, "application.sort.policy: fair");
        add(25, "application.sort.priority: disabled");
        add(20, "priority.offset: \"" + std::to_string(random_.between(-20, 20)) + "\"");
        add(15, "priority.policy: fence");
        if (random_.chance(40)) {
            for_daemonsets(add);
        }
        for_guarantees(inside);
        for_quotas(inside);
        inside += rests_ ? rest(of_rests_, !inside.empty()) : "";
        if (!inside.empty()) {
            text_ += indent + "properties: {" + inside + "}\n";
        }
    }

    void for_guarantees(std::string& inside) {
        const auto add = [&](std::uint64_t percent, const std::string& property) {
            if (of_preemption_.chance(percent)) {
                inside += (inside.empty() ? "" : ", ") + property;
            }
        };
        add(12, "preemption.policy: " + std::string(of_preemption_.chance(50) ? "fence" : "disabled"));
        if (inside.find("preemption.delay") == std::string::npos) {
            add(70, "preemption.delay: 1ms");
        }
    }

    void for_quotas(std::string& inside) {
        static const std::vector<std::string> delays = {"1ms", "1ms", "1ms", "50ms", "1s", "10s", "0s", "soon"};
        if (shrinks_ && of_quotas_.chance(75)) {
            inside += (inside.empty() ? "" : ", ") + ("quota.preemption.delay: " + of_quotas_.pick(delays));
        }
    }

    // Where queues shrink, many maxima are small.
    std::string maximum(bool leaf, bool max, bool tight) {
        const std::string usual = max ? amounts(leaf ? 2'000 : 8'000, leaf ? 8'000 : 20'000) : "";
        return "max: " + (tight ? amounts(of_quotas_, leaf ? 900 : 3'000, leaf ? 2'500 : 5'000) : usual);
    }

    template <typename Add>
    void for_daemonsets(Add add) {
        static const std::vector<std::string> delays = {"0s", "1s", "1m30s", "2500ms", "soon", "-1s"};
        static const std::vector<std::string> orders = {"single", "multiple", "\"multiple,single\"", "none"};
        add(50, "preemption_start_delay: " + random_.pick(delays));
        add(25, "preemption.delay: " + random_.pick(delays));
        add(25, "reservation_expiry: " + random_.pick(delays));
        add(35, "preemption_victim_pods_selection_strategy: " + random_.pick(orders));
        add(25, "preemption_single_victim_deviation: \"" + std::to_string(random_.between(0, 60)) + "\"");
        add(25, "preemption_multiple_victims_max: \"" + std::to_string(random_.between(0, 3)) + "\"");
    }

    void limits(const std::string& indent) {
        if (!random_.chance(30)) {
            return;
        }
        const bool user = random_.chance(60);
        const std::string who = random_.chance(40) ? "\"*\"" : random_.pick(user_texts());
        text_ += indent + "limits:\n" + indent + "- limit: a limit\n";
        // A wildcard of groups alone is no limit.
        if (!user && who == "\"*\"") {
            text_ += indent + "  groups: [ann]\n" + indent + "  maxapplications: 2\n" + indent + "- limit: another\n";
        }
        text_ += indent + (user ? "  users: [" : "  groups: [") + who + "]\n";
        if (random_.chance(50)) {
            text_ += indent + "  maxapplications: " + std::to_string(random_.between(1, 3)) + "\n";
        } else {
            text_ += indent + "  maxresources: " + amounts(1'000, 9'000) + "\n";
        }
    }

    void queue(const std::string& name, const std::string& indent, bool leaf) {
        text_ += indent + "- name: " + name + "\n";
        access(indent + "  ");
        properties(indent + "  ");
        const bool tight = shrinks_ && of_quotas_.chance(45);
        const bool usual_max = random_.chance(35);
        const bool max = usual_max || tight;
        const bool guaranteed = random_.chance(45);
        above_is_guaranteed_ = leaf ? above_is_guaranteed_ : guaranteed;
        if (max || guaranteed) {
            text_ += indent + "  resources: {";
            // Without a guarantee or a maximum to stay within, some have enough for many pods.
            const bool large = leaf && !max && !above_is_guaranteed_ && of_preemption_.chance(60);
            const std::int64_t least = leaf ? 100 : 2'000;
            const std::int64_t most = leaf ? 900 : 3'000;
            text_ += guaranteed ? "guaranteed: " + amounts(large ? 1'500 : least, large ? 6'000 : most) : "";
            text_ += max && guaranteed ? ", " : "";
            text_ += (max ? maximum(leaf, usual_max, tight) : "") + "}\n";
        }
        if (random_.chance(20)) {
            text_ += indent + "  maxapplications: " + std::to_string(random_.between(leaf ? 1 : 3, 4)) + "\n";
        }
        limits(indent + "  ");
    }

    void parent(const std::string& name) {
        const bool leaf = name == "b" && random_.chance(30);
        above_is_guaranteed_ = false;
        queue(name, "    ", leaf);
        if (leaf) {
            return;
        }
        if (random_.chance(20)) {
            text_ += "      parent: true\n";
            return;
        }
        text_ += "      queues:\n";
        for (const char* child : {"x", "y", "z"}) {
            if (child[0] == 'x' || random_.chance(60)) {
                queue(child, "      ", true);
            }
        }
    }

    Random& random_;
    Random of_preemption_;  // of its own: the histories of before there was any stay as they are
    Random of_quotas_;      // likewise
    Random of_placement_;   // by tags, filters and access; likewise
    Random of_rests_;       // of applications; likewise
    bool closed_ = false;   // not everybody may go everywhere
    bool shrinks_ = false;
    bool rests_ = false;
    bool above_is_guaranteed_ = false;
    std::string text_;
};

// Amounts of each level are such that those below fit into them: of a hundred queues drawn one by one, no file were valid.
class WideWriter {
public:
    explicit WideWriter(Random& random) : random_(random), of_rests_(Random(random).next() ^ 0x3c3c3c3c3c) {}

    std::string write() {
        static const std::vector<std::string> rules = {
            "  placementrules: [{name: provided, create: true}]\n",
            "  placementrules: [{name: provided}, {name: fixed, value: root.a.p.u}]\n",
            "  placementrules: [{name: user, create: true, parent: {name: fixed, value: root.b}}, {name: provided}]\n",
            "  placementrules: [{name: tag, value: namespace, create: true}, {name: provided, create: true}]\n"};
        const bool first = random_.chance(20);
        text_ = "partitions:\n";
        text_ += first ? kAnother : "";
        text_ += "- name: default\n";
        shrinks_ = random_.chance(25);
        rests_ = of_rests_.chance(30);
        text_ += shrinks_ ? "  preemption: {quotapreemptionenabled: true}\n" : "";
        text_ += random_.chance(40) ? random_.pick(rules) : "";
        text_ += "  queues:\n  - name: root\n    submitacl: \"*\"\n";
        if (random_.chance(30)) {
            text_ += "    childtemplate: {resources: {max: " + amounts(4'000, 12'000) + "}, maxapplications: 2}\n";
        }
        limit(3, "    ");
        text_ += "    queues:\n";
        for (const char* const top : kTops) {
            guaranteed_at_ = random_.below(4);
            bounded_at_ = random_.below(4);
            limited_at_ = random_.below(6);
            queue(top, 2, "    ");
            text_ += "      queues:\n";
            for (const char* const middle : kMiddles) {
                queue(middle, 1, "      ");
                text_ += "        queues:\n";
                for (const char* const leaf : kLeaves) {
                    // The first stays: a parent without queues were a leaf.
                    if (leaf == kLeaves.front() || random_.chance(88)) {
                        queue(leaf, 0, "        ");
                    }
                }
            }
        }
        text_ += !first && random_.chance(20) ? kAnother : "";
        return text_;
    }

    static std::vector<std::string> paths() {
        std::vector<std::string> all = {"root.a.p", "root.e", "new", "root.b.p.u.below", "root.default"};
        for (const char* const top : kTops) {
            for (const char* const middle : kMiddles) {
                for (const char* const leaf : kLeaves) {
                    all.push_back("root." + std::string(top) + "." + middle + "." + leaf);
                }
            }
        }
        return all;
    }

private:
    static constexpr std::array kTops = {"a", "b", "c", "d", "e"};
    static constexpr std::array kMiddles = {"p", "q", "r", "s"};
    static constexpr std::array kLeaves = {"u", "v", "w", "x", "y"};
    static constexpr const char* kAnother =
        "- name: another\n  queues: [{name: root, submitacl: \"*\", queues: [{name: a}, {name: default}]}]\n";

    std::string amounts(std::int64_t low, std::int64_t high) {
        std::string out = "{vcore: " + std::to_string(random_.between(low, high)) + "m";
        if (random_.chance(40)) {
            out += ", memory: " + std::to_string(random_.between(low, high)) + "G";
        }
        return out + "}";
    }

    // Levels from the leaves up, whose amounts fit into one another.
    std::string guarantee(std::size_t level) {
        static constexpr std::array<std::int64_t, 3> low = {200, 1'000, 3'000};
        static constexpr std::array<std::int64_t, 3> high = {1'200, 3'000, 9'000};
        return "guaranteed: " + amounts(low[level], high[level]);
    }
    std::string maximum(std::size_t level) {
        static constexpr std::array<std::int64_t, 3> low = {2'000, 8'000, 25'000};
        static constexpr std::array<std::int64_t, 3> high = {8'000, 20'000, 60'000};
        return "max: " + amounts(low[level], high[level]);
    }

    // In one level of each branch; at root of large amounts.
    void limit(std::size_t level, const std::string& indent) {
        static constexpr std::array<std::int64_t, 4> low = {1'000, 2'000, 4'000, 20'000};
        static constexpr std::array<std::int64_t, 4> high = {2'000, 6'000, 9'000, 40'000};
        if (!random_.chance(30)) {
            return;
        }
        const bool of_users = random_.chance(60);
        const std::string who = of_users && random_.chance(50) ? "\"*\"" : random_.pick(user_texts());
        text_ += indent + "limits:\n" + indent + "- limit: a limit\n" + indent +
                 (of_users ? "  users: [" : "  groups: [") + who + "]\n";
        if (level == 0 && random_.chance(40)) {
            text_ += indent + "  maxapplications: " + std::to_string(random_.between(1, 2)) + "\n";
        } else {
            text_ +=
                indent + "  maxresources: {vcore: " + std::to_string(random_.between(low[level], high[level])) + "m}\n";
        }
    }

    void queue(const std::string& name, std::size_t level, const std::string& indent) {
        text_ += indent + "- name: " + name + "\n";
        properties(indent + "  ");
        std::string resources = guaranteed_at_ == level && random_.chance(70) ? guarantee(level) : "";
        if (bounded_at_ == level && random_.chance(60)) {
            resources += (resources.empty() ? "" : ", ") + maximum(level);
        }
        if (!resources.empty()) {
            text_ += indent + "  resources: {" + resources + "}\n";
        }
        if (limited_at_ == level) {
            limit(level, indent + "  ");
        } else if (level == 0 && random_.chance(8)) {
            text_ += indent + "  maxapplications: " + std::to_string(random_.between(1, 2)) + "\n";
        }
    }

    void properties(const std::string& indent) {
        std::string inside;
        const auto add = [&](std::uint64_t percent, const std::string& property) {
            if (random_.chance(percent)) {
                inside += (inside.empty() ? "" : ", ") + property;
            }
        };
        add(45, "application.sort.policy: fair");
        add(20, "application.sort.priority: disabled");
        add(8, "priority.offset: \"" + std::to_string(random_.between(-20, 20)) + "\"");
        add(5, "priority.policy: fence");
        add(5, "preemption.policy: " + std::string(random_.chance(50) ? "fence" : "disabled"));
        add(50, "preemption.delay: 1ms");
        add(shrinks_ ? 50 : 0, "quota.preemption.delay: 1ms");
        inside += rests_ ? rest(of_rests_, !inside.empty()) : "";
        if (!inside.empty()) {
            text_ += indent + "properties: {" + inside + "}\n";
        }
    }

    Random& random_;
    Random of_rests_;  // as above
    bool shrinks_ = false;
    bool rests_ = false;
    // Levels of a branch; beyond the last: nowhere in it.
    std::size_t guaranteed_at_ = 0;
    std::size_t bounded_at_ = 0;
    std::size_t limited_at_ = 0;
    std::string text_;
};

bool is_valid(const std::string& text) {
    queue_config::SchedulerConfig config;
    config::Faults faults;
    return queue_config::load_queue_config(text, "queues", config, faults);
}

template <typename Writer>
std::string mostly_valid(Random& random) {
    if (random.chance(4)) {
        return "partitions: [{name: default, queues: [{name: root, maxapplications: none}]}]\n";
    }
    std::string text;
    for (int tries = 0; tries < 20; ++tries) {
        text = Writer(random).write();
        if (is_valid(text)) {
            return text;
        }
    }
    return text;
}

}  // namespace

std::string random_queues(Random& random) { return mostly_valid<QueuesWriter>(random); }

const std::vector<std::string>& wide_queue_texts() {
    static const std::vector<std::string> texts = WideWriter::paths();
    return texts;
}

std::string random_wide_queues(Random& random) { return mostly_valid<WideWriter>(random); }

}  // namespace bayplan::property
