#include "cexecutor.h"

#include <stdint.h>

#define SWIFT_CC __attribute__((swiftcall))

typedef SWIFT_CC void original_enqueue(void *job);

extern SWIFT_CC void (*swift_task_enqueueGlobal_hook)(void *job, original_enqueue *original);
extern SWIFT_CC void swift_job_run(void *job, void *executor, uintptr_t implementation);

static void (*enqueue_job)(void *);

static SWIFT_CC void on_enqueue(void *job, original_enqueue *original) { enqueue_job(job); }

void cexecutor_install(void (*enqueue)(void *job)) {
    enqueue_job = enqueue;
    swift_task_enqueueGlobal_hook = on_enqueue;
}

void cexecutor_run(void *job) {
    // No serial executor: the generic one is two null words.
    swift_job_run(job, 0, 0);
}
