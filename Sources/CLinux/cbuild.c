#include "cbuild.h"

// Package.swift defines it from the environment: a name of hexadecimal digits, perhaps with a suffix.
#define TEXT(word) #word
#define TEXT_OF(macro) TEXT(macro)

const char *nfcd_build_commit(void) {
#ifdef NFCD_COMMIT
    return TEXT_OF(NFCD_COMMIT);
#else
    return "";
#endif
}
