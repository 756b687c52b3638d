// libcrypto of OpenSSL 3, and what takes too many parameter lists to be called from Swift.
#ifndef NFCD_CCRYPTO_H
#define NFCD_CCRYPTO_H

#if !__has_include(<openssl/evp.h>)
#error "openssl/evp.h is missing: install the headers of OpenSSL 3 (Debian: libssl-dev)"
#endif

#include <openssl/crypto.h>
#include <openssl/evp.h>

/// Excludes libcrypto's memory from core dumps, and has it overwritten when it becomes free. Changes nothing if libcrypto was used before.
void ccrypto_protect_memory(void);

/// Makes a key pair of P-256; NULL on failure.
EVP_PKEY *ccrypto_p256_generate(OSSL_LIB_CTX *context);

/// The key pair of a private number; NULL if the number is not in the range of the curve.
EVP_PKEY *ccrypto_p256_private(OSSL_LIB_CTX *context, const unsigned char number[32]);

/// The public key of a point, uncompressed; NULL if it is not on the curve.
EVP_PKEY *ccrypto_p256_public(OSSL_LIB_CTX *context, const unsigned char point[65]);

/// Writes the point of a key, uncompressed. Returns 1, or 0 on failure.
int ccrypto_p256_point(const EVP_PKEY *key, unsigned char point[65]);

/// Writes the number of a private key. Returns 1, or 0 on failure.
int ccrypto_p256_number(const EVP_PKEY *key, unsigned char number[32]);

/// HKDF with SHA-256 (RFC 5869). Returns 1, or 0 on failure.
int ccrypto_hkdf_sha256(
    OSSL_LIB_CTX *context, const unsigned char *secret, size_t secret_count, const unsigned char *salt,
    size_t salt_count, const unsigned char *purpose, size_t purpose_count, unsigned char *key, size_t key_count);

/// Whether bytes are a signature r and s, each of half the count, of a message that is signed without a hash (SEC 1, §4.1.4).
/// The group is named as in SEC 2; the point is uncompressed. Returns 1, or 0 for anything else.
int ccrypto_ecdsa_verify_raw(
    OSSL_LIB_CTX *context, const char *group, const unsigned char *point, size_t point_count,
    const unsigned char *message, size_t message_count, const unsigned char *signature, size_t signature_count);

/// Zeroed pages for secrets: excluded from core dumps, empty in a child process, and locked if the limit allows it.
/// NULL if memory is exhausted.
void *ccrypto_secret_pages(size_t count);

/// Returns pages of ccrypto_secret_pages to the system.
void ccrypto_secret_pages_free(void *pages, size_t count);

#endif
