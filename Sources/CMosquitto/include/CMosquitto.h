// libmosquitto, the MQTT client of Eclipse Mosquitto.
#ifndef NFCD_CMOSQUITTO_H
#define NFCD_CMOSQUITTO_H

#if !__has_include(<mosquitto.h>)
#error "mosquitto.h is missing: install the headers of libmosquitto (Debian: libmosquitto-dev)"
#endif

#include <mosquitto.h>
#include <mqtt_protocol.h>

/// Copies what TLS has decrypted and the library has not read (SSL_peek(3)): how many bytes, at most `room`; 0 without TLS or before
/// its handshake is complete, -1 where the functions of OpenSSL are missing.
int cmosquitto_peek(struct mosquitto *client, void *buffer, int room);

#endif
