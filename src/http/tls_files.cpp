// Certificate and key of the server.
//
// Thread: any.
#include <fmt/format.h>
#include <openssl/ssl.h>

#include "http/service.h"

namespace bayplan::http {

TlsContext read_tls(const ServerOptions& options, std::string& error) {
    namespace ssl = boost::asio::ssl;
    auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
    boost::system::error_code fault;
    context->set_options(
        ssl::context::default_workarounds | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1 | SSL_OP_NO_RENEGOTIATION,
        fault);
    context->use_certificate_chain_file(options.tls_certificate, fault);
    if (fault) {
        error = fmt::format("cannot use the certificate {}: {}", options.tls_certificate, fault.message());
        return nullptr;
    }
    context->use_private_key_file(options.tls_key, ssl::context::pem, fault);
    if (!fault && SSL_CTX_check_private_key(context->native_handle()) == 1) return context;
    error = fmt::format("cannot use the key {}: {}", options.tls_key,
                        fault ? fault.message() : "it is not the key of the certificate");
    return nullptr;
}

}  // namespace bayplan::http
