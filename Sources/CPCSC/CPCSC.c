#include "CPCSC.h"
