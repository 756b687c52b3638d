// The part of PKCS#11 that makes codes with keys in a token, after PKCS #11 Cryptographic Token Interface Base Specification 2.40 (OASIS),
// Appendix B. Names and values are those of the specification. On Linux, structures are not packed.
#ifndef NFCD_CPKCS11_H
#define NFCD_CPKCS11_H

#include <stddef.h>

typedef unsigned char CK_BYTE;
typedef unsigned char CK_BBOOL;
typedef unsigned long CK_ULONG;
typedef CK_ULONG CK_RV;
typedef CK_ULONG CK_FLAGS;
typedef CK_ULONG CK_SLOT_ID;
typedef CK_ULONG CK_SESSION_HANDLE;
typedef CK_ULONG CK_OBJECT_HANDLE;

typedef struct {
    CK_BYTE major, minor;
} CK_VERSION;

typedef struct {
    CK_BYTE label[32], manufacturerID[32], model[16], serialNumber[16];
    CK_FLAGS flags;
    CK_ULONG ulMaxSessionCount, ulSessionCount, ulMaxRwSessionCount, ulRwSessionCount;
    CK_ULONG ulMaxPinLen, ulMinPinLen;
    CK_ULONG ulTotalPublicMemory, ulFreePublicMemory, ulTotalPrivateMemory, ulFreePrivateMemory;
    CK_VERSION hardwareVersion, firmwareVersion;
    CK_BYTE utcTime[16];
} CK_TOKEN_INFO;

typedef struct {
    CK_ULONG type;
    void *pValue;
    CK_ULONG ulValueLen;
} CK_ATTRIBUTE;

typedef struct {
    CK_ULONG mechanism;
    void *pParameter;
    CK_ULONG ulParameterLen;
} CK_MECHANISM;

enum {
    CKF_RW_SESSION = 0x2,
    CKF_SERIAL_SESSION = 0x4,

    CKF_LOGIN_REQUIRED = 0x4,
    CKF_TOKEN_INITIALIZED = 0x400,
    CKF_USER_PIN_COUNT_LOW = 0x10000,
    CKF_USER_PIN_FINAL_TRY = 0x20000,
    CKF_USER_PIN_LOCKED = 0x40000,

    CKU_USER = 1,
    CKO_SECRET_KEY = 4,
    CKK_GENERIC_SECRET = 0x10,
    CKK_AES = 0x1F,

    CKA_CLASS = 0x000,
    CKA_TOKEN = 0x001,
    CKA_PRIVATE = 0x002,
    CKA_LABEL = 0x003,
    CKA_VALUE = 0x011,
    CKA_KEY_TYPE = 0x100,
    CKA_ID = 0x102,
    CKA_SENSITIVE = 0x103,
    CKA_ENCRYPT = 0x104,
    CKA_SIGN = 0x108,
    CKA_VALUE_LEN = 0x161,
    CKA_EXTRACTABLE = 0x162,

    CKM_AES_CBC = 0x1082,
    CKM_AES_CMAC = 0x108A,

    CKR_OK = 0x000,
    CKR_GENERAL_ERROR = 0x005,
    CKR_FUNCTION_FAILED = 0x006,
    CKR_DEVICE_ERROR = 0x030,
    CKR_DEVICE_MEMORY = 0x031,
    CKR_DEVICE_REMOVED = 0x032,
    CKR_KEY_HANDLE_INVALID = 0x060,
    CKR_KEY_FUNCTION_NOT_PERMITTED = 0x068,
    CKR_MECHANISM_INVALID = 0x070,
    CKR_OBJECT_HANDLE_INVALID = 0x082,
    CKR_OPERATION_ACTIVE = 0x090,
    CKR_PIN_INCORRECT = 0x0A0,
    CKR_PIN_INVALID = 0x0A1,
    CKR_PIN_LEN_RANGE = 0x0A2,
    CKR_PIN_EXPIRED = 0x0A3,
    CKR_PIN_LOCKED = 0x0A4,
    CKR_SESSION_CLOSED = 0x0B0,
    CKR_SESSION_HANDLE_INVALID = 0x0B3,
    CKR_TOKEN_NOT_PRESENT = 0x0E0,
    CKR_USER_ALREADY_LOGGED_IN = 0x100,
    CKR_USER_NOT_LOGGED_IN = 0x101,
    CKR_CRYPTOKI_ALREADY_INITIALIZED = 0x191,
};

/// The functions of a module, in the order of the specification; those that are not used have a place only. A module has more of them.
/// Tests use those that make and remove objects.
typedef struct {
    CK_VERSION version;
    CK_RV (*C_Initialize)(void *arguments);
    void *unused_Finalize_to_GetFunctionList[3];
    CK_RV (*C_GetSlotList)(CK_BBOOL tokenPresent, CK_SLOT_ID *slots, CK_ULONG *count);
    void *unused_GetSlotInfo;
    CK_RV (*C_GetTokenInfo)(CK_SLOT_ID slot, CK_TOKEN_INFO *info);
    void *unused_GetMechanismList_to_SetPIN[5];
    CK_RV (*C_OpenSession)(CK_SLOT_ID slot, CK_FLAGS flags, void *application, void *notify, CK_SESSION_HANDLE *session);
    CK_RV (*C_CloseSession)(CK_SESSION_HANDLE session);
    CK_RV (*C_CloseAllSessions)(CK_SLOT_ID slot);
    void *unused_GetSessionInfo_to_SetOperationState[3];
    CK_RV (*C_Login)(CK_SESSION_HANDLE session, CK_ULONG user, const CK_BYTE *pin, CK_ULONG pinCount);
    void *unused_Logout;
    CK_RV (*C_CreateObject)(CK_SESSION_HANDLE session, CK_ATTRIBUTE *attributes, CK_ULONG count, CK_OBJECT_HANDLE *object);
    void *unused_CopyObject;
    CK_RV (*C_DestroyObject)(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object);
    void *unused_GetObjectSize;
    CK_RV (*C_GetAttributeValue)(
        CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *attributes, CK_ULONG count);
    void *unused_SetAttributeValue;
    CK_RV (*C_FindObjectsInit)(CK_SESSION_HANDLE session, CK_ATTRIBUTE *attributes, CK_ULONG count);
    CK_RV (*C_FindObjects)(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE *objects, CK_ULONG most, CK_ULONG *count);
    CK_RV (*C_FindObjectsFinal)(CK_SESSION_HANDLE session);
    CK_RV (*C_EncryptInit)(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key);
    CK_RV (*C_Encrypt)(
        CK_SESSION_HANDLE session, const CK_BYTE *bytes, CK_ULONG count, CK_BYTE *encrypted, CK_ULONG *encryptedCount);
    void *unused_EncryptUpdate_to_DigestFinal[11];
    CK_RV (*C_SignInit)(CK_SESSION_HANDLE session, CK_MECHANISM *mechanism, CK_OBJECT_HANDLE key);
    CK_RV (*C_Sign)(
        CK_SESSION_HANDLE session, const CK_BYTE *bytes, CK_ULONG count, CK_BYTE *signature, CK_ULONG *signatureCount);
} CK_FUNCTION_LIST;

/// Loads a module and initialises it for several threads, unless another part of the process did. It stays loaded.
///
/// Returns its functions, or NULL with a reason in `message`, which is at least 256 bytes long.
const CK_FUNCTION_LIST *cpkcs11_load(const char *path, char *message, size_t count);

#endif
