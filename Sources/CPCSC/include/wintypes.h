// See CPCSC.h.
#include <PCSC/wintypes.h>
