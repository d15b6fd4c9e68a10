/* The records that Python fills in for a kernel: name, kind and offset of each field, as the compiler
 * laid them out. layouts.py makes its records from this text, so that there is no second declaration;
 * a library is not used if fields are missing here, or lie elsewhere than ctypes would put them.
 */
#include <stddef.h>
#include <stdio.h>

#define MEMBER(r, f) (((struct r *)0)->f)
#define KIND(x)                                                                                    \
    _Generic((x), struct column: 'c', struct table: 't', int64_t: 'i', int32_t: 'h',               \
             uint64_t: 'u', double: 'd', default: 'p')
#define FIELD(r, f) {#r, sizeof(struct r), #f, KIND(MEMBER(r, f)), offsetof(struct r, f)}

static const struct field {
    const char *record;
    size_t size; /* of the record */
    const char *name;
    char kind;
    size_t offset;
} fields[] = {
    FIELD(column, data), FIELD(column, stride), FIELD(column, type),
    FIELD(table, data), FIELD(table, row_stride), FIELD(table, column_stride), FIELD(table, type),
    FIELD(binary_job, values), FIELD(binary_job, y), FIELD(binary_job, weights),
    FIELD(binary_job, n), FIELD(binary_job, kind), FIELD(binary_job, chunk),
    FIELD(binary_job, thresholds), FIELD(binary_job, n_thresholds), FIELD(binary_job, edges),
    FIELD(binary_job, bins), FIELD(binary_job, sums), FIELD(binary_job, limits),
    FIELD(cost_table, error), FIELD(cost_table, same), FIELD(cost_table, n_columns),
    FIELD(cost_table, columns), FIELD(cost_table, constant), FIELD(cost_table, tie),
    FIELD(cost_table, n_decisions), FIELD(cost_table, counted),
    FIELD(rows_job, values), FIELD(rows_job, y), FIELD(rows_job, weights), FIELD(rows_job, n),
    FIELD(rows_job, k), FIELD(rows_job, kind), FIELD(rows_job, chunk), FIELD(rows_job, n_costs),
    FIELD(rows_job, costs), FIELD(rows_job, decisions), FIELD(rows_job, edges),
    FIELD(rows_job, bins), FIELD(rows_job, width), FIELD(rows_job, factors),
    FIELD(rows_job, sums), FIELD(rows_job, limits),
    FIELD(affine_job, values), FIELD(affine_job, y), FIELD(affine_job, weights),
    FIELD(affine_job, rows), FIELD(affine_job, each), FIELD(affine_job, n), FIELD(affine_job, k),
    FIELD(affine_job, chunk), FIELD(affine_job, hessian), FIELD(affine_job, scale),
    FIELD(affine_job, shift), FIELD(affine_job, width), FIELD(affine_job, sums),
    FIELD(answers_job, values), FIELD(answers_job, group), FIELD(answers_job, n),
    FIELD(answers_job, k), FIELD(answers_job, groups), FIELD(answers_job, chunk),
    FIELD(answers_job, scale), FIELD(answers_job, shift), FIELD(answers_job, out),
    FIELD(base_cell, least), FIELD(base_cell, cell), FIELD(base_cell, bits),
    FIELD(cells_job, values), FIELD(cells_job, y), FIELD(cells_job, n), FIELD(cells_job, kind),
    FIELD(cells_job, shift), FIELD(cells_job, base), FIELD(cells_job, edges),
    FIELD(cells_job, n_edges), FIELD(cells_job, least), FIELD(cells_job, bits),
    FIELD(cells_job, tally), FIELD(cells_job, limbs), FIELD(cells_job, infinite),
    FIELD(cells_job, limits),
};

/* A line for each field: record, its size, field, kind, offset. */
EXPORT const char *stakes_layouts(void)
{
    static char text[8192];
    size_t at = 0, n = sizeof fields / sizeof *fields;
    for (size_t i = 0; i < n && at < sizeof text; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s %zu %s %c %zu\n", fields[i].record,
                               fields[i].size, fields[i].name, fields[i].kind, fields[i].offset);
    return text;
}
