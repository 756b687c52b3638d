#include "cprocess.h"

#include <sys/prctl.h>
#include <sys/resource.h>

void cprocess_forbid_dumps(void) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
