#ifndef _GNU_SOURCE
#define _GNU_SOURCE // madvise
#endif
#include "CCrypto.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <sys/mman.h>

EVP_PKEY *ccrypto_p256_generate(OSSL_LIB_CTX *context) {
    return EVP_PKEY_Q_keygen(context, NULL, "EC", SN_X9_62_prime256v1);
}

static EVP_PKEY *key_of(
    OSSL_LIB_CTX *context, const char *group, const unsigned char *point, size_t point_count, const BIGNUM *number) {
    EVP_PKEY *key = NULL;
    OSSL_PARAM *parameters = NULL;
    EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(context, "EC", NULL);
    OSSL_PARAM_BLD *list = OSSL_PARAM_BLD_new();
    if (maker != NULL && list != NULL
        && OSSL_PARAM_BLD_push_utf8_string(list, OSSL_PKEY_PARAM_GROUP_NAME, group, 0)
        && OSSL_PARAM_BLD_push_octet_string(list, OSSL_PKEY_PARAM_PUB_KEY, point, point_count)
        && (number == NULL || OSSL_PARAM_BLD_push_BN(list, OSSL_PKEY_PARAM_PRIV_KEY, number))
        && (parameters = OSSL_PARAM_BLD_to_param(list)) != NULL && EVP_PKEY_fromdata_init(maker) > 0
        && EVP_PKEY_fromdata(maker, &key, number == NULL ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR, parameters) <= 0)
        key = NULL;
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(list);
    EVP_PKEY_CTX_free(maker);
    return key;
}

EVP_PKEY *ccrypto_p256_private(OSSL_LIB_CTX *context, const unsigned char number[32]) {
    EVP_PKEY *key = NULL;
    unsigned char bytes[65];
    EC_GROUP *group = EC_GROUP_new_by_curve_name_ex(context, NULL, NID_X9_62_prime256v1);
    EC_POINT *point = group != NULL ? EC_POINT_new(group) : NULL;
    BIGNUM *scalar = BN_bin2bn(number, 32, NULL);
    if (point != NULL && scalar != NULL && BN_cmp(scalar, EC_GROUP_get0_order(group)) < 0
        && EC_POINT_mul(group, point, scalar, NULL, NULL, NULL)
        && EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, bytes, sizeof bytes, NULL) == sizeof bytes)
        key = key_of(context, SN_X9_62_prime256v1, bytes, sizeof bytes, scalar);
    BN_clear_free(scalar);
    EC_POINT_free(point);
    EC_GROUP_free(group);
    return key;
}

EVP_PKEY *ccrypto_p256_public(OSSL_LIB_CTX *context, const unsigned char point[65]) {
    return point[0] == POINT_CONVERSION_UNCOMPRESSED ? key_of(context, SN_X9_62_prime256v1, point, 65, NULL) : NULL;
}

int ccrypto_p256_point(const EVP_PKEY *key, unsigned char point[65]) {
    size_t count = 0;
    return EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, point, 65, &count) && count == 65
        && point[0] == POINT_CONVERSION_UNCOMPRESSED;
}

int ccrypto_p256_number(const EVP_PKEY *key, unsigned char number[32]) {
    BIGNUM *scalar = NULL;
    int count = EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &scalar) ? BN_bn2binpad(scalar, number, 32) : 0;
    BN_clear_free(scalar);
    return count == 32;
}

int ccrypto_hkdf_sha256(
    OSSL_LIB_CTX *context, const unsigned char *secret, size_t secret_count, const unsigned char *salt,
    size_t salt_count, const unsigned char *purpose, size_t purpose_count, unsigned char *key, size_t key_count) {
    EVP_KDF *kdf = EVP_KDF_fetch(context, "HKDF", NULL);
    EVP_KDF_CTX *state = kdf != NULL ? EVP_KDF_CTX_new(kdf) : NULL;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, "SHA256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)secret, secret_count),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_count),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)purpose, purpose_count),
        OSSL_PARAM_construct_end(),
    };
    int done = state != NULL && EVP_KDF_derive(state, key, key_count, parameters) > 0;
    EVP_KDF_CTX_free(state);
    EVP_KDF_free(kdf);
    return done;
}

// The signature in DER, allocated; 0 on failure.
static int der_of(const unsigned char *signature, size_t count, unsigned char **der) {
    ECDSA_SIG *numbers = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature, (int)(count / 2), NULL);
    BIGNUM *s = BN_bin2bn(signature + count / 2, (int)(count / 2), NULL);
    int length = 0;
    if (numbers != NULL && r != NULL && s != NULL && ECDSA_SIG_set0(numbers, r, s)) {
        r = s = NULL;
        length = i2d_ECDSA_SIG(numbers, der);
    }
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(numbers);
    return length > 0 ? length : 0;
}

int ccrypto_ecdsa_verify_raw(
    OSSL_LIB_CTX *context, const char *group, const unsigned char *point, size_t point_count,
    const unsigned char *message, size_t message_count, const unsigned char *signature, size_t signature_count) {
    if (point_count == 0 || point[0] != POINT_CONVERSION_UNCOMPRESSED || signature_count == 0 || signature_count % 2 != 0)
        return 0;
    unsigned char *der = NULL;
    int length = der_of(signature, signature_count, &der);
    EVP_PKEY *key = key_of(context, group, point, point_count, NULL);
    EVP_PKEY_CTX *state = key != NULL ? EVP_PKEY_CTX_new_from_pkey(context, key, NULL) : NULL;
    int done = length > 0 && state != NULL && EVP_PKEY_verify_init(state) == 1
        && EVP_PKEY_verify(state, der, (size_t)length, message, message_count) == 1;
    EVP_PKEY_CTX_free(state);
    EVP_PKEY_free(key);
    OPENSSL_free(der);
    return done;
}

void *ccrypto_secret_pages(size_t count) {
    void *pages = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    // None of the three has to succeed: an old kernel and a small RLIMIT_MEMLOCK must not stop a program.
    madvise(pages, count, MADV_DONTDUMP);
    madvise(pages, count, MADV_WIPEONFORK);
    mlock(pages, count);
    return pages;
}

void ccrypto_secret_pages_free(void *pages, size_t count) {
    munmap(pages, count);
}
