// A PKCS#11 module in front of another one: its codes and ciphers wait as long as a file exists. SLOWTOKEN_MODULE is the path of
// the other module, SLOWTOKEN_HOLD that of the file. A call that waits makes the file with ".reached" behind its name.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "CPKCS11.h"

static const CK_FUNCTION_LIST *module;
static CK_FUNCTION_LIST functions;

static void wait_until_released(void) {
    const char *hold = getenv("SLOWTOKEN_HOLD");
    char reached[4096];
    if (hold == NULL || access(hold, F_OK) != 0) return;
    snprintf(reached, sizeof reached, "%s.reached", hold);
    close(open(reached, O_CREAT | O_WRONLY, 0600));
    while (access(hold, F_OK) == 0) usleep(2000);
}

static CK_RV slow_sign(
    CK_SESSION_HANDLE session, const CK_BYTE *bytes, CK_ULONG count, CK_BYTE *signature, CK_ULONG *signatureCount) {
    wait_until_released();
    return module->C_Sign(session, bytes, count, signature, signatureCount);
}

static CK_RV slow_encrypt(
    CK_SESSION_HANDLE session, const CK_BYTE *bytes, CK_ULONG count, CK_BYTE *encrypted, CK_ULONG *encryptedCount) {
    wait_until_released();
    return module->C_Encrypt(session, bytes, count, encrypted, encryptedCount);
}

CK_RV C_GetFunctionList(CK_FUNCTION_LIST **list) {
    const char *path = getenv("SLOWTOKEN_MODULE");
    void *library = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return CKR_GENERAL_ERROR;
    CK_RV (*find)(CK_FUNCTION_LIST **) = (CK_RV(*)(CK_FUNCTION_LIST **))dlsym(library, "C_GetFunctionList");
    CK_FUNCTION_LIST *found = NULL;
    if (find == NULL || find(&found) != CKR_OK) return CKR_GENERAL_ERROR;
    module = found;
    functions = *found;
    functions.C_Sign = slow_sign;
    functions.C_Encrypt = slow_encrypt;
    *list = &functions;
    return CKR_OK;
}
