// Applications of a message, and what only operators see of pods.
//
// Thread and errors: see generator.h.
#include "generator.h"

namespace bayplan::property {

void Generator::choose_queue(const oracle::Oracle& oracle, const ShimModel& model, oracle::OwnedApplication& record) {
    if (options_.queues && random_.chance(95)) {
        record.user = id_of(oracle, model, random_.pick(user_texts()));
    }
    for (std::int64_t i = random_.chance(50) ? random_.between(1, 3) : 0; i > 0; --i) {
        // Texts that the shim knows.
        record.user_groups.push_back(id_of(oracle, model, random_.pick(options_.queues ? user_texts() : model.groups)));
    }
    if (random_.chance(1) && !record.user_groups.empty()) {
        record.user_groups.resize(64 + random_.below(2), record.user_groups.front());
    }
    if (options_.queues && random_.chance(85)) {
        record.queue = random_.chance(5) ? 0 : id_of(oracle, model, random_.pick(queue_texts_));
    }
}

// Each key mostly with a value that says something there; a key may come twice.
void Generator::tag(const oracle::Oracle& oracle, const ShimModel& model, oracle::OwnedApplication& record) {
    constexpr std::size_t kQuotas = 7;  // values from here on
    const std::vector<std::string>& values = application_tag_values();
    const auto add = [&](const std::string& key, std::size_t value) {
        record.tags.push_back({id_of(oracle, model, key), id_of(oracle, model, values[value])});
    };
    if (!options_.queues || !tag_random_.chance(60)) {
        return;
    }
    if (tag_random_.chance(80)) {
        add(tag_random_.chance(85) ? "namespace" : "NameSpace", tag_random_.below(3));
    }
    if (tag_random_.chance(options_.shim_rights.empty() ? 15 : 70)) {
        add("application.create.force", 3 + tag_random_.below(2));
    }
    for (const char* const key : {"namespace.resourcequota", "namespace.resourceguaranteed"}) {
        if (tag_random_.chance(30)) {
            add(key, kQuotas + tag_random_.below(values.size() - kQuotas));
        }
    }
    if (tag_random_.chance(15)) {
        add("namespace.resourcemaxapps", 5 + tag_random_.below(2));
    }
    if (tag_random_.chance(2) && !record.tags.empty()) {
        record.tags.resize(256 + tag_random_.below(2), record.tags.front());
    }
    if (tag_random_.chance(2)) {
        record.tags.push_back({tag_random_.chance(50) ? 0 : kUndefined, 0});
    }
}

oracle::OwnedApplications Generator::applications(const oracle::Oracle& oracle, ShimModel& model) {
    oracle::OwnedApplications out;
    for (std::int64_t i = random_.between(0, wide_ ? 12 : 2); i > 0; --i) {
        oracle::OwnedApplication record{id_of(oracle, model, random_.pick(model.applications))};
        if (random_.chance(40)) {
            record.queue = random_.chance(80) ? id_of(oracle, model, "root.other") : kUndefined;
        }
        choose_queue(oracle, model, record);
        if (random_.chance(4)) {
            record.application = kUndefined;
        }
        expect_placeholders(oracle, model, record);
        tag(oracle, model, record);
        if (random_.chance(2)) {
            record.user_groups.push_back(random_.chance(50) ? 0 : kUndefined);
        }
        out.add.push_back(record);
    }
    if (random_.chance(30)) {
        out.remove.push_back(random_.chance(90) ? id_of(oracle, model, random_.pick(model.applications)) : kUndefined);
    }
    return out;
}

// Mostly what the shim has registered.
std::string Generator::any_application(const oracle::Oracle& oracle, const ShimModel& model) {
    const auto& known = oracle.shims().at(model.name).applications;
    if (known.empty() || random_.chance(5)) {
        return random_.pick(model.applications);
    }
    auto application = known.begin();
    std::advance(application, static_cast<std::ptrdiff_t>(random_.below(known.size())));
    return *application;
}

// Texts that each shim knows; a key may come twice.
std::vector<Attribute> Generator::tags(const oracle::Oracle& oracle, const ShimModel& model) {
    std::vector<Attribute> out;
    if (!random_.chance(15)) {
        return out;
    }
    for (std::int64_t i = random_.between(1, 3); i > 0; --i) {
        const DictId key = id_of(oracle, model, random_.pick(random_.chance(50) ? model.applications : model.nodes));
        out.push_back({key, random_.chance(10) ? 0 : id_of(oracle, model, random_.pick(model.groups))});
    }
    if (random_.chance(1)) {
        out.resize(256 + random_.below(2), out.front());
    }
    return out;
}

}  // namespace bayplan::property
