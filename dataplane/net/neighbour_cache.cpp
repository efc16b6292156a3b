// See neighbour_cache.h. A linear scan: 64 entries, looked at once per connection attempt.
//
// Thread: the port's own.
#include "net/neighbour_cache.h"

#include <algorithm>

namespace bayplan::dataplane {

NeighbourCache::Entry* NeighbourCache::find(const IpBytes& ip) {
    const auto at = std::ranges::find(entries_, ip, &Entry::ip);
    return at == entries_.end() ? nullptr : &*at;
}

NeighbourCache::Entry& NeighbourCache::claim(const IpBytes& ip, std::int64_t now_ns) {
    Entry* entry = find(IpBytes{});
    if (entry == nullptr) entry = &*std::ranges::min_element(entries_, {}, &Entry::used_ns);
    *entry = Entry{};
    entry->ip = ip;
    entry->asked_ns = now_ns - kRetryNs;
    return *entry;
}

NeighbourCache::Answer NeighbourCache::lookup(const IpBytes& ip, std::int64_t now_ns) {
    if (ip == IpBytes{}) return {};
    Entry* found = find(ip);
    Entry& entry = found != nullptr ? *found : claim(ip, now_ns);
    entry.used_ns = now_ns;
    if (entry.known && now_ns - entry.learned_ns >= kForgetNs) entry.known = false;
    const bool fresh = entry.known && now_ns - entry.learned_ns < kRefreshNs;
    const bool ask = !fresh && now_ns - entry.asked_ns >= kRetryNs;
    if (ask) entry.asked_ns = now_ns;
    return {entry.known, ask, entry.mac};
}

void NeighbourCache::learn(const IpBytes& ip, const MacAddress& mac, std::int64_t now_ns) {
    if (ip == IpBytes{}) return;
    Entry* entry = find(ip);
    if (entry == nullptr) return;
    entry->mac = mac;
    entry->known = true;
    entry->learned_ns = now_ns;
}

}  // namespace bayplan::dataplane
