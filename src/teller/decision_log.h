// The decision log: one line per attempt and per allocation that the engine itself ends, and its digest.
// Format: rules/log.md. The same record gives the same bytes; settings that must not decide may differ.
//
// Thread: the teller's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nettle/sha2.h>

#include "base/decision_sink.h"

namespace bayplan {

class DecisionLog {
public:
    explicit DecisionLog(DecisionSink& sink);

    void place(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
               std::string_view devices);
    void fail(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view reasons);
    // It is not tried.
    void wait(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view why);
    // `victims`: SHIM/KEY, joined by commas.
    void nominate(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
                  std::string_view victims, std::string_view reasons);
    void clear(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
               std::string_view why);
    void release(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
                 std::string_view reasons);

    void reserve(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
                 std::string_view victims, std::string_view reasons);
    void unreserve(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
                   std::string_view why);
    // The pod's place counts until the shim's plugins have answered; `others`: further nodes that they are asked about.
    void query(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
               std::string_view others);
    // Of a pod without a place: which of the `victims` on the node may go for it. `needed`: how many at the least.
    void query_victims(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
                       std::string_view victims, std::string_view needed);
    // It has lost that place.
    void deny(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
              std::string_view why);
    // `claim` on devices, NAMESPACE/NAME, so that the pod may have others.
    void give_back(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view claim);
    // The pod's place counts until its gang has its minimum; `count`: how far it is.
    void permit(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
                std::string_view count);
    // It has given that place up.
    void reject(std::int64_t now_ns, std::string_view shim, std::string_view key, std::string_view node,
                std::string_view why);

    std::string digest() const;

private:
    void line(std::int64_t now_ns, std::string_view kind, std::string_view shim, std::string_view key,
              std::string_view node, std::string_view victims, std::string_view reasons);

    DecisionSink& sink_;
    std::uint64_t number_ = 0;
    // Lines that are not hashed yet: many at a time cost a third.
    std::string lines_;
    std::size_t used_ = 0;
    sha256_ctx hash_;
};

}  // namespace bayplan
