// The message that travels through the executor: a batch of proposals, one per distinct class of the asks selected.
//
// A proposal brings its class's cache up to date with the readers' side. It carries the change-log position
// from before its first read; commit looks again at everything logged since.
//
// Thread: owned by the engine thread, then by the executor, then by the engine thread again.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "apps/ask_class.h"
#include "base/ids.h"
#include "placement/class_cache.h"
#include "topology/signatures.h"

namespace bayplan {

struct Proposal {
    ClassId ask_class = kNone<ClassId>;
    std::shared_ptr<const AskClass> spec;
    std::unique_ptr<ClassCache> cache;
    std::shared_ptr<const NodeMask> mask;  // nodes that labels and taints let pass; null = all
    std::uint64_t position = 0;            // published before the first read
    std::uint32_t block_count = 0;         // blocks that were published then
    std::uint32_t looks = 0;               // filled by the proposer: blocks that were not in the cache, or had changed
};

struct ProposalBatch {
    std::uint64_t number = 0;  // 1, 2, ... in order of submission
    std::vector<Proposal> proposals;
};
// Messages are used again: a steady load allocates none.
using ProposalBatches = std::vector<std::unique_ptr<ProposalBatch>>;

// The work of one proposal, called by executors.
class Proposer {
public:
    virtual ~Proposer() = default;
    // `worker`: below the number given to the engine; no two calls at a time have the same.
    virtual void propose(Proposal&, std::uint32_t worker) noexcept = 0;
};

}  // namespace bayplan
