// The functions of p11-kit that GnuTLS names, for a program that is linked statically: there is no module, no token, no URI
// and no PIN, and each says so in the way of its own. Nothing asks them unless a file of a certificate is given as a
// "pkcs11:" URI.
//
// Thread: any.
#include <p11-kit/p11-kit.h>
#include <p11-kit/pin.h>
#include <p11-kit/uri.h>

extern "C" {

// --- modules
CK_FUNCTION_LIST** p11_kit_modules_load(const char*, int) { return nullptr; }
CK_FUNCTION_LIST* p11_kit_module_load(const char*, int) { return nullptr; }
void p11_kit_module_release(CK_FUNCTION_LIST*) {}
CK_RV p11_kit_module_finalize(CK_FUNCTION_LIST*) { return CKR_CRYPTOKI_NOT_INITIALIZED; }
char* p11_kit_module_get_name(CK_FUNCTION_LIST*) { return nullptr; }
int p11_kit_module_get_flags(CK_FUNCTION_LIST*) { return 0; }
char* p11_kit_config_option(CK_FUNCTION_LIST*, const char*) { return nullptr; }
const char* p11_kit_strerror(CK_RV) { return "this program has no smart cards"; }
const char* p11_kit_message(void) { return "this program has no smart cards"; }

// --- URIs
P11KitUri* p11_kit_uri_new(void) { return nullptr; }
void p11_kit_uri_free(P11KitUri*) {}
int p11_kit_uri_parse(const char*, P11KitUriType, P11KitUri*) { return P11_KIT_URI_UNEXPECTED; }
int p11_kit_uri_format(P11KitUri*, P11KitUriType, char**) { return P11_KIT_URI_UNEXPECTED; }
int p11_kit_uri_match_token_info(const P11KitUri*, const CK_TOKEN_INFO*) { return 0; }
int p11_kit_uri_match_module_info(const P11KitUri*, const CK_INFO*) { return 0; }
CK_ATTRIBUTE_PTR p11_kit_uri_get_attribute(P11KitUri*, CK_ATTRIBUTE_TYPE) { return nullptr; }
CK_ATTRIBUTE_PTR p11_kit_uri_get_attributes(P11KitUri*, CK_ULONG* count) {
    if (count != nullptr) *count = 0;
    return nullptr;
}
int p11_kit_uri_set_attribute(P11KitUri*, CK_ATTRIBUTE_PTR) { return P11_KIT_URI_UNEXPECTED; }
CK_TOKEN_INFO_PTR p11_kit_uri_get_token_info(P11KitUri*) { return nullptr; }
CK_INFO_PTR p11_kit_uri_get_module_info(P11KitUri*) { return nullptr; }
const char* p11_kit_uri_get_pin_value(const P11KitUri*) { return nullptr; }
const char* p11_kit_uri_get_pin_source(const P11KitUri*) { return nullptr; }
size_t p11_kit_space_strlen(const unsigned char*, size_t) { return 0; }
char* p11_kit_space_strdup(const unsigned char*, size_t) { return nullptr; }

// --- PINs
P11KitPin* p11_kit_pin_new_for_string(const char*) { return nullptr; }
P11KitPin* p11_kit_pin_request(const char*, P11KitUri*, const char*, P11KitPinFlags) { return nullptr; }
P11KitPin* p11_kit_pin_file_callback(const char*, P11KitUri*, const char*, P11KitPinFlags, void*) { return nullptr; }
const unsigned char* p11_kit_pin_get_value(P11KitPin*, size_t* length) {
    if (length != nullptr) *length = 0;
    return nullptr;
}
size_t p11_kit_pin_get_length(P11KitPin*) { return 0; }
void p11_kit_pin_unref(P11KitPin*) {}
int p11_kit_pin_register_callback(const char*, p11_kit_pin_callback, void*, p11_kit_pin_destroy_func) { return 0; }
void p11_kit_pin_unregister_callback(const char*, p11_kit_pin_callback, void*) {}
}
