// Decodes slices of devices, claims on devices, and the claims that a pod names. Private to src/wire.
//
// `where` and the result as in decode_terms.h. Thread and owner: the DecodedFrame's.
#pragma once

#include "bayplan/pod_spec.h"
#include "bayplan/resource_claims.h"
#include "shim_generated.h"
#include "wire/fields.h"

namespace bayplan::wire {

bool read_slice(const fbs::ResourceSlice& wire, const Where& where, Fields& fields, ResourceSlice& out);
bool read_device_class(const fbs::DeviceClass& wire, const Where& where, Fields& fields, DeviceClass& out);
bool read_claim(const fbs::ResourceClaim& wire, const Where& where, Fields& fields, ResourceClaim& out);
bool read_pod_claims(const fbs::PodResourceClaims* wire, const Where& spec, Fields& fields, PodResourceClaims& out);

}  // namespace bayplan::wire
