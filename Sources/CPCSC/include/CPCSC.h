// libpcsclite, and what Swift's C importer drops of its headers: cast and arithmetic macros become typed constants.
//
// The headers are found without pkg-config, whose flags the Swift package manager would warn of. Those of PC/SC include each other
// without their folder; pcsclite.h and wintypes.h beside this file lead there.
#ifndef NFCD_CPCSC_H
#define NFCD_CPCSC_H

#if !__has_include(<PCSC/winscard.h>)
#error "PCSC/winscard.h is missing: install the headers of libpcsclite (Debian: libpcsclite-dev)"
#endif

#include <stdint.h>
#include <PCSC/reader.h>
#include <PCSC/winscard.h>

/// Longest response libpcsclite accepts: 64 KiB of data, the APDU's framing and the status word.
static const uint32_t CPCSC_MAX_RESPONSE = MAX_BUFFER_SIZE_EXTENDED;

/// Protocols asked for when connecting: T=0 or T=1, whichever the card offers.
static const uint32_t CPCSC_PROTOCOL_ANY = SCARD_PROTOCOL_ANY;

#endif
