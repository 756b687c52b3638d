// See CPCSC.h.
#include <PCSC/pcsclite.h>
