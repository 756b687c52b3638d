// The part of libsystemd with which a program talks on a D-Bus (sd-bus(3)). The library is loaded when it is first needed: it is on
// every system with systemd, and its headers are not needed to build.
#ifndef NFCD_CSDBUS_H
#define NFCD_CSDBUS_H

#include <stddef.h>
#include <stdint.h>

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct sd_bus_slot sd_bus_slot;

/// The form of `sd_bus_error`.
struct csdbus_error {
    const char *name;
    const char *message;
    int needs_free;
};

/// The functions of the library. Each returns a negative code of errno(3) on failure.
struct csdbus_functions {
    int (*open_user)(sd_bus **bus);
    int (*open_system)(sd_bus **bus);
    sd_bus *(*close)(sd_bus *bus);
    int (*descriptor)(sd_bus *bus);
    int (*process)(sd_bus *bus, sd_bus_message **message);
    int (*match)(
        sd_bus *bus, sd_bus_slot **slot, const char *rule,
        int (*callback)(sd_bus_message *, void *, struct csdbus_error *), void *context);
    int (*unique_name)(sd_bus *bus, const char **name);
    int (*call)(sd_bus *bus, sd_bus_message *message, uint64_t microseconds, struct csdbus_error *error, sd_bus_message **reply);
    int (*new_call)(
        sd_bus *bus, sd_bus_message **message, const char *destination, const char *path, const char *interface,
        const char *member);
    int (*set_auto_start)(sd_bus_message *message, int starts);
    sd_bus_message *(*release)(sd_bus_message *message);
    int (*append)(sd_bus_message *message, char type, const void *value);
    int (*open_container)(sd_bus_message *message, char type, const char *contents);
    int (*close_container)(sd_bus_message *message);
    int (*read)(sd_bus_message *message, char type, void *value);
    int (*peek)(sd_bus_message *message, char *type, const char **contents);
    int (*enter)(sd_bus_message *message, char type, const char *contents);
    int (*exit)(sd_bus_message *message);
    const char *(*sender)(sd_bus_message *message);
    const char *(*path)(sd_bus_message *message);
    const char *(*interface)(sd_bus_message *message);
    const char *(*member)(sd_bus_message *message);
    void (*free_error)(struct csdbus_error *error);
};

/// Loads the library. NULL, and the reason in `message`: it is missing, or lacks a function.
const struct csdbus_functions *csdbus_load(char *message, size_t count);

#endif
