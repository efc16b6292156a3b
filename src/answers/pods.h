// Pods as YuniKorn shows them: an ask that waits, an allocation, a pod of another scheduler.
//
// Thread: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "answers/answers.h"
#include "answers/json_text.h"

namespace bayplan::answers {

// `held`: why quotas hold it back by the version's own sums (Quota::reasons), or empty.
void put_ask(JsonText&, const read_model::Version&, const Place&, std::uint32_t pod,
             std::span<const std::string_view> held);
void put_allocation(JsonText&, const read_model::Version&, std::uint32_t pod);
void put_foreign(JsonText&, const read_model::Version&, std::uint32_t pod);

// An ask of an application: it waits for a place, or for its gates.
bool is_request(const read_model::Pod&);
// In the order of their keys.
std::vector<std::uint32_t> by_key(const read_model::Version&, std::span<const std::uint32_t> pods);

}  // namespace bayplan::answers
