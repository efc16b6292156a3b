// Boost.JSON is compiled here, once: Debian ships it as headers for this use.
#include <boost/json/src.hpp>
