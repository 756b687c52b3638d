// libcurl, and what Swift's C importer drops of its header: variadic functions are called here.
#ifndef NFCD_CCURL_H
#define NFCD_CCURL_H

#if !__has_include(<curl/curl.h>)
#error "curl/curl.h is missing: install the headers of libcurl (Debian: libcurl4-openssl-dev)"
#endif

#include <curl/curl.h>

/// A callback that gets bytes of an answer, and returns how many it took; fewer than it got end the transfer.
typedef size_t (*ccurl_bytes)(char *bytes, size_t size, size_t count, void *owner);

static inline CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

/// Where the bytes of an answer go. Other functions than these two are not passed.
static inline CURLcode ccurl_set_callback(CURL *handle, CURLoption option, ccurl_bytes callback) {
    return curl_easy_setopt(handle, option, callback);
}

/// The body of a request, copied.
static inline CURLcode ccurl_set_body(CURL *handle, const void *bytes, curl_off_t count) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, count);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes);
}

/// How a transfer ended.
static inline CURLcode ccurl_result(const CURLMsg *message) { return message->data.result; }

static inline CURLMcode ccurl_set_multi(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

#endif
