/* Sums of whole numbers by key. A table of places, twice as large as there are rows, finds the place
 * of a key by its hash and the next free place after it; sums lie side by side in the order in which
 * keys were first seen, which the caller sorts.
 */
EXPORT int NAME(sum_by_key)(const int64_t *keys, const int64_t *numbers, int64_t n, int64_t width,
                            int64_t bits, int32_t *places, int64_t *found, int64_t *sums,
                            int64_t *count)
{
    const uint64_t mask = ((uint64_t)1 << bits) - 1;
    int64_t used = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t at = ((uint64_t)keys[i] * 0x9e3779b97f4a7c15u) >> (64 - bits);
        while (places[at] >= 0 && found[places[at]] != keys[i]) at = (at + 1) & mask;
        int64_t place = places[at];
        if (place < 0) {
            place = used++;
            places[at] = (int32_t)place;
            found[place] = keys[i];
            for (int64_t j = 0; j < width; j++) sums[place * width + j] = 0;
        }
        for (int64_t j = 0; j < width; j++) sums[place * width + j] += numbers[j * n + i];
    }
    *count = used;
    return 0;
}
