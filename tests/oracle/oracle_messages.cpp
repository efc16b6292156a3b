// The oracle's state messages other than nodes and asks: dictionary, applications, releases, nacks,
// resync. rules/sessions.md, applications.md, asks.md, amounts.md.
//
// Thread and errors: see oracle.h.
#include <algorithm>
#include <utility>

#include "oracle.h"
#include "oracle_guarantees.h"

namespace bayplan::oracle {

namespace {

std::string text_or_number(const Shim& shim, DictId id) {
    const auto found = shim.dictionary.find(id);
    return found == shim.dictionary.end() ? number_sign(id) : found->second;
}

std::string check_tags(const Shim& shim, std::span<const Attribute> stated, std::map<std::string, std::string>& tags) {
    if (stated.size() > 256) {
        return "a list of more than 256 entries";
    }
    for (const Attribute& tag : stated) {
        if (!shim.dictionary.contains(tag.key) || (tag.value != 0 && !shim.dictionary.contains(tag.value))) {
            return "unknown dictionary id";
        }
        tags[shim.dictionary.at(tag.key)] = tag.value == 0 ? "" : shim.dictionary.at(tag.value);
    }
    return "";
}

}  // namespace

std::string Oracle::check_amounts(const Shim& shim, std::span<const Amount> amounts, Amounts& into) {
    if (amounts.size() > 256) {
        return "a list of more than 256 entries";
    }
    for (const Amount& amount : amounts) {
        const auto kind = shim.dictionary.find(amount.resource);
        if (kind == shim.dictionary.end()) {
            return "unknown dictionary id " + number_sign(amount.resource);
        }
        if (amount.value < 0) {
            return "negative amount of " + kind->second;
        }
        if (amount.value > kAmountMax) {
            return "amount of " + kind->second + " is too large";
        }
        if (into.contains(kind->second)) {
            return kind->second + " is given twice";
        }
        into[kind->second] = amount.value;
    }
    return "";
}

// What the ask adds to its node, wherever it is; scored amounts beside what is requested.
Amounts occupied(const Ask& ask) {
    Amounts all = ask.requests;
    all["cpu, scored"] = ask.pod.node_cpu;
    all["memory, scored"] = ask.pod.node_memory;
    return all;
}

namespace {

// 4096 pods on a node, or waiting for it, are enough; `existing` may be one of them.
std::string crowd_fault(const std::map<std::uint64_t, Ask>& asks, const Ask* existing, const Ask& wanted) {
    if (wanted.node.empty()) {
        return "";
    }
    std::uint64_t pods = 0;
    for (const auto& [sequence, other] : asks) {
        const bool there = other.node == wanted.node || other.awaited_node == wanted.node;
        if (there && existing != nullptr && existing->sequence == sequence) {
            return "";
        }
        pods += there;
    }
    return pods >= 4096 ? "node " + wanted.node + " has 4096 pods" : "";
}

}  // namespace

// What is too much of asks together: on a node, of an amount, or of bytes.
std::string Oracle::total_fault(const Ask* existing, const Ask& wanted) const {
    if (const std::string fault = crowd_fault(asks_, existing, wanted); !fault.empty()) {
        return fault;
    }
    Amounts sum = total_;
    add(occupied(wanted), 1, sum);
    if (existing != nullptr) {
        add(occupied(*existing), -1, sum);
    }
    const std::int64_t most = wanted.node.empty() ? kTotalMax / 2 : kTotalMax;
    for (const auto& [kind, value] : occupied(wanted)) {
        if (sum[kind] > most) {
            return "all asks together want too much";
        }
    }
    return ask_bytes_fault(existing, wanted);
}

void Oracle::message(const std::string& name, const DefineMessage& define) {
    Shim& shim = shims_.at(name);
    for (const DictEntry& entry : define.entries) {
        const auto found = shim.dictionary.find(entry.id);
        std::string fault;
        if (entry.id == 0) {
            fault = "dictionary id 0 is reserved";
        } else if (entry.text.empty()) {
            fault = "empty text";
        } else if (entry.text.size() > 512) {
            fault = "text is longer than 512 bytes";
        } else if (found != shim.dictionary.end() && found->second != entry.text) {
            fault = "dictionary id " + std::to_string(entry.id) + " is defined already";
        } else if (found == shim.dictionary.end() && shim.dictionary.size() >= options_.dictionary_max) {
            fault = "dictionary is full";
        } else if (found == shim.dictionary.end()) {
            fault = bytes_fault(name, 64 + entry.text.size(), 0);
        }
        if (!fault.empty()) {
            decide(name, DecisionKind::message_rejected, number_sign(entry.id), fault);
        } else {
            shim.dictionary[entry.id] = std::string(entry.text);
        }
    }
}

void Oracle::message(const std::string& name, const ForgetMessage& forget) {
    for (const DictId id : forget.ids) {
        if (shims_.at(name).dictionary.erase(id) == 0) {
            decide(name, DecisionKind::message_rejected, number_sign(id), "unknown dictionary id");
        }
    }
}

void Oracle::message(const std::string& name, const ApplicationsMessage& applications) {
    for (const ApplicationItem& record : applications.add) {
        const std::string item = text_or_number(shims_.at(name), record.application);
        const std::string fault = add_application(name, record);
        decide(name, fault.empty() ? DecisionKind::application_accepted : DecisionKind::application_rejected, item,
               fault);
    }
    for (const DictId id : applications.remove) {
        const std::string item = text_or_number(shims_.at(name), id);
        const std::string fault = remove_application(name, id);
        if (!fault.empty()) {
            decide(name, DecisionKind::application_rejected, item, fault);
        }
    }
    for (const char* const what : std::exchange(queues_.seen, {})) {
        saw(what);
    }
    if (std::exchange(queues_.guarantee_changed, false) && options_.preemption.guarantee &&
        GuaranteeRules(*this).any_guarantee()) {
        wake_all();  // R-GUARANTEE-30
    }
}

std::string Oracle::add_application(const std::string& name, const ApplicationItem& record) {
    Shim& shim = shims_.at(name);
    const auto text = shim.dictionary.find(record.application);
    if (text == shim.dictionary.end()) {
        return "unknown dictionary id";
    }
    if (shim.applications.contains(text->second)) {
        return "application exists already";
    }
    if (shim.applications.size() >= options_.applications_max) {
        return "more than " + std::to_string(options_.applications_max) + " applications";
    }
    if (record.queue != 0 && !shim.dictionary.contains(record.queue)) {
        return "unknown queue " + number_sign(record.queue);
    }
    std::vector<std::string> groups;
    std::uint64_t bytes = 256 + text->second.size();
    if (options_.user_groups && record.user_groups.size() > 64) {
        return "a list of more than 64 entries";
    }
    for (const DictId group : options_.user_groups ? record.user_groups : std::span<const DictId>()) {
        if (!shim.dictionary.contains(group)) {
            return "unknown group " + number_sign(group);
        }
        groups.push_back(shim.dictionary.at(group));
        bytes += 64 + groups.back().size();
    }
    Amounts placeholder_ask;
    if (options_.queues) {
        if (const std::string fault = check_amounts(shim, record.placeholder_ask, placeholder_ask); !fault.empty()) {
            return fault;
        }
        std::erase_if(placeholder_ask, [](const auto& one) { return one.second == 0; });
        for (const auto& [kind, amount] : placeholder_ask) {
            bytes += 16 + kind.size();
        }
    }
    std::map<std::string, std::string> tags;
    if (options_.queues && options_.application_tags) {
        if (const std::string fault = check_tags(shim, record.tags, tags); !fault.empty()) {
            return fault;
        }
    }
    if (const std::string fault = bytes_fault(name, bytes, 0); !fault.empty()) {
        return fault;
    }
    if (options_.queues) {
        const auto named = [&](DictId id) {
            return shim.dictionary.contains(id) ? shim.dictionary.at(id) : std::string();
        };
        const bool may_force = !options_.forced_by_right || rights_of(name).force;
        const std::string fault = queues_.add_application(
            {name, text->second},
            {named(record.queue), named(record.user), groups, in_queues(placeholder_ask), tags, may_force},
            options_.made_queues_max);
        if (!fault.empty()) {
            return fault;
        }
        QueuedApplication& application = queues_.applications.at({name, text->second});
        application.hard = record.gang_style == GangStyle::hard;
        if (!placeholder_ask.empty() && record.placeholder_timeout_ms > 0) {
            application.timeout = std::min(record.placeholder_timeout_ms, INT64_MAX / 1'000'000) * 1'000'000;
        }
        application.hard = application.hard && !placeholder_ask.empty();
        shim.placeholder_asks[text->second] = placeholder_ask;
    }
    shim.applications.insert(text->second);
    shim.user_groups[text->second] = groups;
    return "";
}

std::string Oracle::remove_application(const std::string& name, DictId id) {
    Shim& shim = shims_.at(name);
    const auto text = shim.dictionary.find(id);
    if (text == shim.dictionary.end()) {
        return "unknown dictionary id";
    }
    if (!shim.applications.contains(text->second)) {
        return "no such application";
    }
    end_asks_of_application(name, text->second);
    queues_.remove_application({name, text->second});
    shim.applications.erase(text->second);
    shim.user_groups.erase(text->second);
    shim.placeholder_asks.erase(text->second);
    return "";
}

void Oracle::message(const std::string& name, const ReleasesMessage& releases) {
    for (const ReleaseItem& record : releases.releases) {
        const std::string fault = release_record(name, record);
        if (!fault.empty()) {
            decide(name, DecisionKind::ask_rejected, std::string(record.key), fault);
        }
    }
}

std::string Oracle::release_record(const std::string& name, const ReleaseItem& record) {
    const Shim& shim = shims_.at(name);
    std::string application;
    if (record.application != 0 || record.key.empty()) {
        const auto text = shim.dictionary.find(record.application);
        if (text == shim.dictionary.end() || !shim.applications.contains(text->second)) {
            return "unknown application " + number_sign(record.application);
        }
        application = text->second;
    }
    if (record.key.empty()) {
        end_asks_of_application(name, application);
        return "";
    }
    const Ask* ask = find_ask(name, std::string(record.key));
    if (ask == nullptr || (record.application != 0 && ask->application != application)) {
        return "no such ask";
    }
    end_ask(ask->sequence, true);
    return "";
}

void Oracle::message(const std::string& name, const NacksMessage& nacks) {
    for (const NackItem& record : nacks.nacks) {
        const std::string fault = nack_record(name, record);
        if (!fault.empty()) {
            decide(name, DecisionKind::message_rejected, std::string(record.key), fault);
        }
    }
}

std::string Oracle::nack_record(const std::string& name, const NackItem& record) {
    const Ask* found = find_ask(name, std::string(record.key));
    if (found == nullptr || !has_it_for_good(*found) || found->foreign) {
        return "no such allocation";
    }
    Ask& ask = asks_.at(found->sequence);
    if (ask.placeholder && ask.sent_away) {
        saw("a placeholder that was to go is refused");
        end_ask(ask.sequence, true);
        return "";
    }
    ask.avoids = ask.node;
    ask.avoids_until = now_ + options_.avoid_rejecting_ns;
    leave_node(ask);
    count_failure(ask);
    ask.state = AskState::backoff;
    ask.nacked = true;
    if (ask.coscheduled()) {
        ask.state = AskState::gated;
        ask.nacked = false;
        touch(ask);
        if (!ask.gang.empty()) {
            Gang& gang = gangs_.at(ask.gang);
            count_failure(gang);
            gang.nacked = true;
        }
    } else if (options_.coscheduling.mode != Coscheduling::off && ask.group.empty()) {
        ask.time = now_;
    }
    wake(Event::allocation_ended);
    return "";
}

// The resync is open, and the first so many things of the shim go.
void Oracle::begin_resync(const std::string& name, std::uint64_t things) {
    Shim& shim = shims_.at(name);
    shim.resync_open = true;
    shim.resync_begun = true;
    perhaps_hold_up(name);
    for (auto& [node_name, node] : nodes_) {
        if (node.shim == name) {
            node.unmentioned = true;
        }
    }
    while (things > 0 && drop_first_thing_of(name)) {
        --things;
    }
}

// Its first application by name, or that one's first ask; then pods of none by arrival, then objects by statement, then
// specs of before the hello.
bool Oracle::drop_first_thing_of(const std::string& name) {
    Shim& shim = shims_.at(name);
    const std::string application = shim.applications.empty() ? std::string() : *shim.applications.begin();
    for (const auto& [sequence, ask] : asks_) {
        if (ask.shim == name && ask.application == application) {
            end_ask(sequence, false);
            return true;
        }
    }
    if (!application.empty()) {
        queues_.remove_application({name, application});
        shim.applications.erase(application);
        shim.user_groups.erase(application);
        shim.placeholder_asks.erase(application);
        return true;
    }
    if (forget_first_object_of(name)) {
        return true;
    }
    if (shim.left_over_specs.empty()) {
        return false;
    }
    shim.left_over_specs.erase(shim.left_over_specs.begin());
    return true;
}

void Oracle::message(const std::string& name, const ResyncBeginMessage&) {
    begin_resync(name, UINT64_MAX);
    if (!shims_.at(name).holds_up) {
        saw("a resync begins that holds nobody up");
        wake_all();
    }
}

// Nodes that were not mentioned go, so many by slot. False: no resync is open.
bool Oracle::end_resync(const std::string& name, std::uint64_t nodes) {
    const Shim& shim = shims_.at(name);
    if (!shim.resync_open || !shim.resync_begun) {
        decide(name, DecisionKind::message_rejected, "resync", "no resync is open");
        return false;
    }
    std::map<std::uint64_t, std::string> going;  // by slot
    for (const auto& [node_name, node] : nodes_) {
        if (node.shim == name && node.unmentioned) {
            going[node.slot] = node_name;
        }
    }
    for (const auto& [slot, node_name] : going) {
        if (nodes > 0) {
            decommission(node_name);
            --nodes;
        }
    }
    return true;
}

void Oracle::message(const std::string& name, const ResyncEndMessage&) {
    if (!end_resync(name, UINT64_MAX)) {
        return;
    }
    Shim& shim = shims_.at(name);
    shim.resync_open = false;
    shim.resync_begun = false;
    if (shim.holds_up) {
        shim.holds_up = false;
        shim.time_left = std::max<std::int64_t>(0, shim.holds_up_until - now_);
    }
    wake_all();
}

void Oracle::wake_all() {
    for (auto& [sequence, ask] : asks_) {
        if (ask.state == AskState::unschedulable) {
            wake(ask);
        }
    }
}

void Oracle::message(const std::string& name, const ConfigurationMessage&) {
    decide(name, DecisionKind::message_rejected, "configuration",
           "queue configuration is set by the operator of this daemon");
}

}  // namespace bayplan::oracle
