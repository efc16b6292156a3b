// Cost of looks for room below maxima that are used up, while asks of many leaves lack it.
//
// Thread: main.
#pragma once

namespace bayplan::bench {

// Prints a table. False: digests differ, or asks that lack room are not what they must be.
bool measure_room_looks(bool small, int runs);

}  // namespace bayplan::bench
