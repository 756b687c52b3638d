// Everything of this target: a new header is named here, so that a build with an older module notices it.
#ifndef NFCD_CLINUX_H
#define NFCD_CLINUX_H

#include "cbuild.h"
#include "cevent.h"
#include "cmalloc.h"
#include "cpeer.h"
#include "cprocess.h"
#include "cspawn.h"
#include "ctimer.h"

#endif
