// An invalid document is an error of the parser, which follows its assertions; `[.a]` fails one of them. With NDEBUG they would be
// promises to the compiler.
#undef NDEBUG
#define TOML_ASSERT(condition) static_cast<void>(0)
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
// Arrays and inline tables within each other; toml++ and the walk below recurse for each.
#define TOML_MAX_NESTED_VALUES 16
#include <toml++/toml.h>

#include "ctoml.h"

#include <cstring>

namespace {

// The parts of one key, a.b.c; toml++ has no limit, and recurses for each.
constexpr size_t most_levels = 32;

/// Finds the line of a key with too many parts; 0 where none has. It knows strings and comments, and nothing else of TOML: a
/// dot outside them is in a key, or the only one of a number or a time.
uint32_t find_deep_key(std::string_view document) {
    uint32_t line = 1;
    size_t dots = 0;
    for (size_t i = 0; i < document.size(); i++) {
        const char c = document[i];
        if (c == '\n') {
            line++;
            dots = 0;
        } else if (c == '#') {
            while (i + 1 < document.size() && document[i + 1] != '\n') i++;
        } else if (c == '"' || c == '\'') {
            const bool is_long = document.substr(i, 3) == std::string(3, c);
            // An empty string is two quotes, not the beginning of a long one.
            i += is_long ? 3 : 1;
            for (; i < document.size(); i++) {
                if (document[i] == '\n') {
                    line++;
                    // The parser ends here with an error.
                    if (!is_long) break;
                } else if (document[i] == '\\' && c == '"') {
                    if (i + 1 < document.size() && document[i + 1] == '\n') line++;
                    i++;
                } else if (document[i] == c && (!is_long || document.substr(i, 3) == std::string(3, c))) {
                    i += is_long ? 2 : 0;
                    break;
                }
            }
        } else if (c == '.') {
            if (++dots >= most_levels) return line;
        } else if (c == '=' || c == ',' || c == '{' || c == '[') {
            dots = 0;
        }
    }
    return 0;
}

struct Walk {
    void *context;
    ctoml_visitor visitor;

    uint32_t line_of_nul = 0;

    /// A NUL character would end a key or a text early.
    void refuse_nul(const std::string &text, const toml::node &node) {
        if (!line_of_nul && std::memchr(text.data(), 0, text.size())) line_of_nul = node.source().begin.line;
    }

    void report(const std::string &path, ctoml_kind kind, const toml::node &node, const char *text, int64_t number) {
        visitor(context, path.c_str(), kind, text, number, node.source().begin.line);
    }

    void table(const std::string &path, const toml::table &table) {
        for (auto &&[key, value] : table) {
            std::string name(key.str());
            refuse_nul(name, value);
            node(path.empty() ? name : path + "." + name, value);
        }
    }

    void array(const std::string &path, const toml::array &array) {
        size_t index = 0;
        for (auto &&value : array) node(path + "[" + std::to_string(index++) + "]", value);
    }

    void node(const std::string &path, const toml::node &node) {
        if (auto inner = node.as_table()) {
            report(path, CTOML_TABLE, node, "", 0);
            table(path, *inner);
        } else if (auto inner = node.as_array()) {
            report(path, CTOML_ARRAY, node, "", 0);
            array(path, *inner);
        } else if (auto text = node.as_string()) {
            refuse_nul(text->get(), node);
            report(path, CTOML_STRING, node, text->get().c_str(), 0);
        } else if (auto number = node.as_integer()) {
            report(path, CTOML_INTEGER, node, "", number->get());
        } else if (auto truth = node.as_boolean()) {
            report(path, CTOML_BOOLEAN, node, "", truth->get());
        } else {
            report(path, CTOML_OTHER, node, "", 0);
        }
    }
};

}  // namespace

uint32_t ctoml_walk(
    const char *document, size_t length, void *context, ctoml_visitor visitor, char *message, size_t room) {
    if (uint32_t line = find_deep_key({document, length})) {
        std::snprintf(message, room, "a key has more than %zu levels", most_levels);
        return line;
    }
    toml::parse_result result = toml::parse(std::string_view(document, length));
    if (!result) {
        std::snprintf(message, room, "%s", std::string(result.error().description()).c_str());
        return std::max<uint32_t>(1, result.error().source().begin.line);
    }
    Walk walk{context, visitor};
    walk.table("", result.table());
    if (walk.line_of_nul) std::snprintf(message, room, "a key or a text has a NUL character");
    return walk.line_of_nul;
}
