// Programs that are linked statically have no TBB: what its flow graph would do is done on std::thread. Which of them it is never
// changes a decision (stage_executor.h).
//
// Thread: see stage_executor.h.
#include <utility>

#include "placement/stage_executor.h"

namespace bayplan {

std::unique_ptr<StageExecutor> make_tbb_executor(std::uint32_t workers, WorkerStart start) {
    return make_thread_executor(workers, std::move(start));
}

}  // namespace bayplan
