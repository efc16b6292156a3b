// The oracle's side of the wire: numbered decisions, acknowledgements, debt, cuts; and the decision
// log. rules/sessions.md (acknowledge), rules/credit.md, rules/log.md.
//
// Thread and errors: see oracle.h.
#include <nettle/sha2.h>

#include <algorithm>
#include <array>

#include "oracle.h"

namespace bayplan::oracle {

// Returns the number of the decision, or 0 when it is not kept (the shim must resync).
std::uint64_t Oracle::decide(const std::string& name, DecisionKind kind, const std::string& item,
                             const std::string& text, const std::string& node, Termination termination, bool scale_up,
                             const std::string& devices, std::uint64_t query, std::uint64_t needed,
                             std::uint64_t violations) {
    Shim& shim = shims_.at(name);
    if (shim.must_resync) {
        return 0;
    }
    shim.last_number += 1;
    const NumberedDecision decision{shim.last_number, kind,    termination, item,   node,      text,
                                    scale_up,         devices, query,       needed, violations};
    shim.kept.push_back(decision);
    decisions_[name].push_back(decision);
    if (shim.connection) {
        stories_.at(*shim.connection).decisions.push_back(decision);
    }
    const std::uint64_t bytes_max = options_.unacknowledged_bytes_max;
    if (shim.kept.size() > options_.unacknowledged_max || (bytes_max != 0 && kept_bytes(shim) > bytes_max)) {
        drop_kept(shim, name);
        cut(shim);
        shim.must_resync = true;
        return 0;
    }
    return decision.number;
}

void Oracle::drop_kept(Shim& shim, const std::string& name) {
    shim.kept.clear();
    for (auto& [sequence, ask] : asks_) {
        if (ask.shim == name) {
            ask.allocated_decision = 0;
        }
    }
}

void Oracle::acknowledge_up_to(Shim& shim, const std::string& name, std::uint64_t up_to) {
    while (!shim.kept.empty() && shim.kept.front().number <= up_to) {
        shim.kept.pop_front();
    }
    shim.acknowledged = std::max(shim.acknowledged, up_to);
    for (auto& [sequence, ask] : asks_) {
        if (ask.shim == name && ask.state == AskState::unacknowledged && ask.allocated_decision != 0 &&
            ask.allocated_decision <= up_to) {
            ask.state = AskState::allocated;
        }
    }
}

void Oracle::no_longer_counts(Shim& shim) {
    if (shim.connection) {
        stories_.at(*shim.connection).counts = false;
        shim.connection.reset();
    }
}

void Oracle::cut(Shim& shim) {
    if (shim.connection) {
        stories_.at(*shim.connection).cut = true;
        no_longer_counts(shim);
    }
}

std::string Oracle::shim_of(ConnectionId connection) const {
    for (const auto& [name, shim] : shims_) {
        if (shim.connection == connection) {
            return name;
        }
    }
    return "";
}

std::uint64_t Oracle::debt(const Shim& shim) const {
    return static_cast<std::uint64_t>(std::count_if(shim.kept.begin(), shim.kept.end(), [](const auto& decision) {
        return decision.kind == DecisionKind::allocated || decision.kind == DecisionKind::released;
    }));
}

std::uint64_t Oracle::open_queries(const Shim& shim) const {
    std::uint64_t open = 0;
    for (const auto& [key, sequence] : shim.asks) {
        const AskState state = asks_.at(sequence).state;
        open += state == AskState::queried || state == AskState::asking ? 1 : 0;
    }
    return open;
}

bool Oracle::has_credit(const Shim& shim) const {
    return !shim.must_resync && !shim.resync_open && debt(shim) < options_.credit_window &&
           open_queries(shim) < options_.plugins.queries_max && 2 * shim.kept.size() < options_.unacknowledged_max &&
           (options_.unacknowledged_bytes_max == 0 || 2 * kept_bytes(shim) < options_.unacknowledged_bytes_max);
}

void Oracle::log_line(const char* kind, const Ask& ask, const std::string& node, const std::string& reasons,
                      const std::string& victims) {
    log_.push_back(std::to_string(log_.size() + 1) + " " + std::to_string(now_) + " " + kind + " " + ask.shim + "/" +
                   ask.key + " " + node + " " + victims + " " + reasons);
}

std::string Oracle::digest() const {
    sha256_ctx context;
    sha256_init(&context);
    for (const std::string& line : log_) {
        const std::string bytes = line + "\n";
        sha256_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
    }
    std::array<std::uint8_t, SHA256_DIGEST_SIZE> sum{};
    sha256_digest(&context, sum.size(), sum.data());
    std::string hex;
    for (const std::uint8_t byte : sum) {
        hex += "0123456789abcdef"[byte >> 4];
        hex += "0123456789abcdef"[byte & 15];
    }
    return hex;
}

}  // namespace bayplan::oracle
