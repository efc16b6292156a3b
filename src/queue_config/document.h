// The text of a queues.yaml to the model, before anything is checked that looks at more than one value.
//
// Thread: any.
#pragma once

#include <string>

#include "queue_config/fields.h"
#include "queue_config/model.h"

namespace bayplan::queue_config {

// Everything that could be read; the faults say what could not. A text without a document has no partitions.
SchedulerConfig read_document(const std::string& text, FaultList&);

}  // namespace bayplan::queue_config
