// Finds bytes of which any of many sets of 8 is the beginning. Used by keysearch.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { BITS = 1 << 20 };

static size_t place(uint64_t piece) { return (piece * 0x9E3779B97F4A7C15u) >> 44; }

// Writes the offsets at which one of the pieces begins, at most `most`; returns how many there are. The pieces are sorted.
size_t pieces_find(
    const unsigned char *data, size_t size, const uint64_t *pieces, size_t count, uint64_t *offsets, size_t most) {
    static unsigned char known[BITS];
    memset(known, 0, sizeof known);
    for (size_t index = 0; index < count; index++) known[place(pieces[index])] = 1;
    size_t found = 0;
    for (size_t offset = 0; offset + sizeof(uint64_t) <= size && found < most; offset++) {
        uint64_t piece;
        memcpy(&piece, data + offset, sizeof piece);
        if (!known[place(piece)]) continue;
        size_t low = 0, high = count;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (pieces[middle] < piece) low = middle + 1;
            else high = middle;
        }
        if (low < count && pieces[low] == piece) offsets[found++] = offset;
    }
    return found;
}
