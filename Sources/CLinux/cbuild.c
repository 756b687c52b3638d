#include "cbuild.h"

// Package.swift defines them from the environment.
#ifndef NFCD_COMMIT
#define NFCD_COMMIT ""
#endif
#ifndef NFCD_URL
#define NFCD_URL ""
#endif

const char *nfcd_build_commit(void) {
    return NFCD_COMMIT;
}

const char *nfcd_build_url(void) {
    return NFCD_URL;
}
