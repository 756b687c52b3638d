#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "ctoml.h"

namespace {

struct Walk {
    void *context;
    ctoml_visitor visitor;

    void report(const std::string &path, ctoml_kind kind, const toml::node &node, const char *text, int64_t number) {
        visitor(context, path.c_str(), kind, text, number, node.source().begin.line);
    }

    void table(const std::string &path, const toml::table &table) {
        for (auto &&[key, value] : table) {
            std::string name(key.str());
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
    toml::parse_result result = toml::parse(std::string_view(document, length));
    if (!result) {
        std::snprintf(message, room, "%s", std::string(result.error().description()).c_str());
        return std::max<uint32_t>(1, result.error().source().begin.line);
    }
    Walk{context, visitor}.table("", result.table());
    return 0;
}
