// What Swift's C importer drops from the PC/SC headers: cast and arithmetic macros become typed constants.
#ifndef NFCD_CPCSC_SHIM_H
#define NFCD_CPCSC_SHIM_H

#include <stdint.h>
#include <reader.h>
#include <winscard.h>

/// Longest response libpcsclite accepts: 64 KiB of data, the APDU's framing and the status word.
static const uint32_t CPCSC_MAX_RESPONSE = MAX_BUFFER_SIZE_EXTENDED;

/// Protocols asked for when connecting: T=0 or T=1, whichever the card offers.
static const uint32_t CPCSC_PROTOCOL_ANY = SCARD_PROTOCOL_ANY;

#endif
