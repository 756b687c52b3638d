// libmosquitto, the MQTT client of Eclipse Mosquitto.
#ifndef NFCD_CMOSQUITTO_H
#define NFCD_CMOSQUITTO_H

#if !__has_include(<mosquitto.h>)
#error "mosquitto.h is missing: install the headers of libmosquitto (Debian: libmosquitto-dev)"
#endif

#include <mosquitto.h>
#include <mqtt_protocol.h>

#endif
