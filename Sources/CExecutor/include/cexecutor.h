// The Swift runtime's hook for where tasks run that ask for no executor (swift/Runtime/Concurrency.h).
#ifndef NFCD_CEXECUTOR_H
#define NFCD_CEXECUTOR_H

/// From now on `enqueue` is given every such job, on any thread. Call it before the first task is made.
void cexecutor_install(void (*enqueue)(void *job));

/// Runs a job that `enqueue` was given, on this thread.
void cexecutor_run(void *job);

#endif
