#include "CSDBus.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static struct csdbus_functions functions;
static char reason[256];

// The order is that of the header.
static const char *const names[] = {
    "sd_bus_open_user",
    "sd_bus_open_system",
    "sd_bus_flush_close_unref",
    "sd_bus_get_fd",
    "sd_bus_process",
    "sd_bus_add_match",
    "sd_bus_get_unique_name",
    "sd_bus_call",
    "sd_bus_message_new_method_call",
    "sd_bus_message_set_auto_start",
    "sd_bus_message_unref",
    "sd_bus_message_append_basic",
    "sd_bus_message_open_container",
    "sd_bus_message_close_container",
    "sd_bus_message_read_basic",
    "sd_bus_message_peek_type",
    "sd_bus_message_enter_container",
    "sd_bus_message_exit_container",
    "sd_bus_message_get_sender",
    "sd_bus_message_get_path",
    "sd_bus_message_get_interface",
    "sd_bus_message_get_member",
    "sd_bus_error_free",
};

_Static_assert(sizeof names / sizeof names[0] == sizeof functions / sizeof(void *), "each function has a name");

static void load(void) {
    void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(reason, sizeof reason, "%s", dlerror());
        return;
    }
    void **places = (void **)&functions;
    for (size_t index = 0; index < sizeof names / sizeof names[0]; index++) {
        places[index] = dlsym(library, names[index]);
        if (places[index] == NULL) {
            snprintf(reason, sizeof reason, "libsystemd.so.0 lacks %s", names[index]);
            return;
        }
    }
}

const struct csdbus_functions *csdbus_load(char *message, size_t count) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (reason[0] == '\0') return &functions;
    snprintf(message, count, "%s", reason);
    return NULL;
}
