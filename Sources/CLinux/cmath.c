#include <errno.h>
#include <math.h>

float __wrap_hypotf(float x, float y);

// hypotf for programs of a release, which are linked with --wrap=hypotf (Docs/runtime.md, "hypotf"). The squares of two numbers of
// 24 bits are exact with 53 bits, so nothing overflows or is lost before the root is rounded.
float __wrap_hypotf(float x, float y) {
    if (isinf(x) || isinf(y)) return INFINITY; // also if the other one is not a number (C, F.10.4.3)
    float result = (float)sqrt((double)x * x + (double)y * y);
    if (isinf(result)) errno = ERANGE;
    return result;
}
