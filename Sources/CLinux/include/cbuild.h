#ifndef NFCD_CBUILD_H
#define NFCD_CBUILD_H

/// The commit that the programs were built from; empty where the build does not know it.
const char *_Nonnull nfcd_build_commit(void);

/// The address of the project; empty where the build does not know it.
const char *_Nonnull nfcd_build_url(void);

#endif
