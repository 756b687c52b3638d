#define _GNU_SOURCE
#include "CMosquitto.h"

#include <dlfcn.h>

// The functions of the OpenSSL that libmosquitto uses; its headers are not needed for these.
static int call(const char *name, void *ssl) {
    int (*function)(const void *) = (int (*)(const void *))dlsym(RTLD_DEFAULT, name);
    return function ? function(ssl) : -1;
}

int cmosquitto_peek(struct mosquitto *client, void *buffer, int room) {
    void *ssl = mosquitto_ssl_get(client);
    if (!ssl) return 0;
    const int is_finished = call("SSL_is_init_finished", ssl);
    if (is_finished <= 0) return is_finished;
    int (*peek)(void *, void *, int) = (int (*)(void *, void *, int))dlsym(RTLD_DEFAULT, "SSL_peek");
    void (*clear)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "ERR_clear_error");
    if (!peek || !clear) return -1;
    const int count = peek(ssl, buffer, room);
    // The library sees the error again when it reads, and must not find this one in the queue of the thread.
    if (count <= 0) clear();
    return count > 0 ? count : 0;
}
