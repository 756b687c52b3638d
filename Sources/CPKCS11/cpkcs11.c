#include "CPKCS11.h"

#include <dlfcn.h>
#include <stdio.h>

typedef struct {
    void *mutexFunctions[4];
    CK_FLAGS flags;
    void *pReserved;
} CK_C_INITIALIZE_ARGS;

enum { CKF_OS_LOCKING_OK = 0x2 };

const CK_FUNCTION_LIST *cpkcs11_load(const char *path, char *message, size_t count) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(message, count, "%s", dlerror());
        return NULL;
    }
    CK_RV (*list)(CK_FUNCTION_LIST **) = (CK_RV(*)(CK_FUNCTION_LIST **))dlsym(library, "C_GetFunctionList");
    CK_FUNCTION_LIST *functions = NULL;
    if (list == NULL || list(&functions) != CKR_OK || functions == NULL || functions->version.major < 2) {
        snprintf(message, count, "it is not a PKCS#11 module: it has no C_GetFunctionList");
        dlclose(library);
        return NULL;
    }
    CK_C_INITIALIZE_ARGS arguments = {.flags = CKF_OS_LOCKING_OK};
    CK_RV code = functions->C_Initialize(&arguments);
    if (code != CKR_OK && code != CKR_CRYPTOKI_ALREADY_INITIALIZED) {
        // Not unloaded: it may have started threads.
        snprintf(message, count, "C_Initialize failed with code 0x%lX", code);
        return NULL;
    }
    return functions;
}
