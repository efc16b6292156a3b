// Digest of a world, table by table: the contents of every table that decides, in no order where order does not decide.
// Versions, logs and caches are left out.
//
// Thread: the test's. Makes the plans of all specs that are alive, so that it finds the same each time.
#pragma once

#include <map>
#include <string>

#include "engine/world.h"
#include "placement/pipeline.h"

namespace bayplan::testing {

using WorldDigest = std::map<std::string, std::string>;  // by table

WorldDigest digest_of(World&, const Pipeline&);

// The first table that differs, with both contents; empty if none does.
std::string difference(const WorldDigest& before, const WorldDigest& after);

}  // namespace bayplan::testing
