// Encodes slices of devices, claims on devices, and the claims that a pod names. Private to src/wire.
//
// Thread and owner: the Encoder's; `tables` is used as a stack (builder.h).
#pragma once

#include "bayplan/pod_spec.h"
#include "bayplan/resource_claims.h"
#include "shim_generated.h"
#include "wire/builder.h"

namespace bayplan::wire {

flatbuffers::Offset<fbs::ResourceSlice> put_slice(flatbuffers::FlatBufferBuilder& out, Tables& tables,
                                                  const ResourceSlice& slice);
flatbuffers::Offset<fbs::ResourceClaim> put_claim(flatbuffers::FlatBufferBuilder& out, Tables& tables,
                                                  const ResourceClaim& claim);
// Absent if the pod has no claims.
flatbuffers::Offset<fbs::PodResourceClaims> put_pod_claims(flatbuffers::FlatBufferBuilder& out, Tables& tables,
                                                           const PodResourceClaims& claims);

}  // namespace bayplan::wire
