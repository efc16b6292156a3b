// The way in: a YuniKorn queues.yaml, as it is, to a checked model. All its faults are reported at once. Values that
// YuniKorn's validator accepts and its scheduler then fails on, or cuts in silence, are refused here.
//
// Thread: any; the same text gives the same model, so that a recorded text can be read again.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/fault.h"
#include "queue_config/model.h"

namespace bayplan::queue_config {

enum class NamesAs {
    compared,  // in lower case
    written,   // for showing the configuration
};

// True: `config` is sound, with one queue root on top of each partition, limits of a partition at its root. False:
// `faults` has everything found, in order of place.
bool load_queue_config(const std::string& text, const std::string& file, SchedulerConfig& config,
                       config::Faults& faults, NamesAs names = NamesAs::compared);

// The partition of a file that a partition of this name goes by (R-QUEUE-3): of the same name, or the only one. Null: none.
const PartitionConfig* own_partition(const SchedulerConfig&, std::string_view name);

// Likewise, out of a file that is not needed any more.
std::shared_ptr<const PartitionConfig> take_own_partition(SchedulerConfig&&, std::string_view name);

// All at once. Null: `fault` says what is wrong, of several faults the first.
std::shared_ptr<const PartitionConfig> read_own_partition(const std::string& text, std::string_view name,
                                                          std::string& fault);

// The checksum that tells two texts apart in the REST interface: SHA-256 in hexadecimal, without the checksum that the
// text states.
std::string checksum_of(const std::string& text);

}  // namespace bayplan::queue_config
