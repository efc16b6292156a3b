// The configuration in force as YuniKorn shows it.
//
// Thread: plain functions, any.
#pragma once

#include "rest/document.h"
#include "rest/shown_config.h"

namespace bayplan::rest {

// JSON has the names of Go's fields and keeps empty objects; YAML has them in lower case and leaves these out.
enum class Form { json, yaml };

DocumentNode config_document(const ShownConfig&, Form);

}  // namespace bayplan::rest
