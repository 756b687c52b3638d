#ifndef NFCD_CBUILD_H
#define NFCD_CBUILD_H

/// The commit that the programs were built from; empty where the build does not know it.
const char *_Nonnull nfcd_build_commit(void);

#endif
