// SQLite, and what Swift's C importer drops of its header: casts become typed constants, variadic functions are called here.
#ifndef NFCD_CSQLITE_H
#define NFCD_CSQLITE_H

#if !__has_include(<sqlite3.h>)
#error "sqlite3.h is missing: install the headers of SQLite (Debian: libsqlite3-dev)"
#endif

#include <sqlite3.h>

/// The value for a destructor that makes SQLite copy what is bound (sqlite3_bind_blob).
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }

#endif
