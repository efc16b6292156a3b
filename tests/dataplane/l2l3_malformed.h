// Every frame that the port has to drop, with the reason it must give. Sent to the functions
// directly by unit tests, and over a real wire by the system test.
//
// Thread: any. The frames are from kPeer* to kOwn* of l2l3_frames.h.
#pragma once

#include <functional>
#include <vector>

#include "l2l3_frames.h"

namespace bayplan::dataplane::test {

struct Malformed {
    DropReason reason;
    const char* what;
    std::function<Frame8()> make;
};

const std::vector<Malformed>& malformed_frames();   // for kStation
const std::vector<Malformed>& malformed_frames6();  // for kStation6 of l2l3_frames6.h

}  // namespace bayplan::dataplane::test
