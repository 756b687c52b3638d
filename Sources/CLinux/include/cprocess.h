// What a process with secrets asks of the kernel.
#ifndef NFCD_CPROCESS_H
#define NFCD_CPROCESS_H

/// Sets the limit of core dumps to 0, and makes the process not dumpable: processes of the same user cannot read its memory
/// (PR_SET_DUMPABLE, prctl(2)).
void cprocess_forbid_dumps(void);

#endif
