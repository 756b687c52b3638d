// toml++ for Swift: walks over the values of a document, each with its line.
#ifndef NFCD_CTOML_H
#define NFCD_CTOML_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The kind of a value.
enum ctoml_kind { CTOML_TABLE, CTOML_ARRAY, CTOML_STRING, CTOML_INTEGER, CTOML_BOOLEAN, CTOML_OTHER };

/// Called for each value, tables and arrays before their contents.
///
/// path: keys joined by dots, elements as [0]; text: of a string; number: of an integer or a boolean.
typedef void (*ctoml_visitor)(
    void *context, const char *path, enum ctoml_kind kind, const char *text, int64_t number, uint32_t line);

/// Walks over a document of `length` bytes. Returns 0, or the line of an error with its description in `message`.
uint32_t ctoml_walk(
    const char *document, size_t length, void *context, ctoml_visitor visitor, char *message, size_t room);

#ifdef __cplusplus
}
#endif

#endif
