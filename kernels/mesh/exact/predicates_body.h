/*
 * predicates_body.h - determinants with a bound of their error, then as expansions
 * (mesh_fn.h).
 *
 * An expansion has its smallest component first, and none that is 0, but for that of 0
 * itself.  Its sign is that of its last component.
 */

/* Half a unit in the last place of 1. */
static const double half_ulp = 1.1102230246251565e-16;
static const double splitter = 134217729.0; /* 2^27 + 1 */

/* Components of an expansion: of a difference, 2; of products of expansions, twice the
 * product of their lengths; of sums, the sum. */
enum { DIFFERENCE = 2, SQUARE = 8, MINOR = 16, TERM = 512 };

/* ---- sums and products of two doubles: x is the rounded one, y its error ---- */

MESH_STATIC inline void two_sum(double a, double b, double *x, double *y)
{
    const double sum = a + b, part = sum - a;

    *y = (a - (sum - part)) + (b - part);
    *x = sum;
}

/* |a| >= |b| */
MESH_STATIC inline void fast_two_sum(double a, double b, double *x, double *y)
{
    const double sum = a + b;

    *y = b - (sum - a);
    *x = sum;
}

MESH_STATIC inline void split(double a, double *high, double *low)
{
    const double c = splitter * a;

    *high = c - (c - a);
    *low = a - *high;
}

MESH_STATIC inline void two_product(double a, double b, double *x, double *y)
{
    const double product = a * b;
    double a_high, a_low, b_high, b_low;

    split(a, &a_high, &a_low);
    split(b, &b_high, &b_low);
    *y =
        a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    *x = product;
}

/* ---- expansions ---- */

MESH_STATIC inline int put(double *h, int n, double component)
{
    if (component != 0)
        h[n++] = component;
    return n;
}

/* h = e + f. @return its length */
MESH_STATIC int sum(const double *e, int n_e, const double *f, int n_f, double *h)
{
    int i = 0, k = 0, n = 0;
    double q, error;

    if (n_e == 0 || n_f == 0) {
        for (; i < n_e; i++)
            h[i] = e[i];
        for (; k < n_f; k++)
            h[k] = f[k];
        return n_e + n_f;
    }
    q = fabs(e[0]) < fabs(f[0]) ? e[i++] : f[k++];
    while (i < n_e || k < n_f) {
        const bool from_e = k == n_f || (i < n_e && fabs(e[i]) < fabs(f[k]));

        two_sum(q, from_e ? e[i++] : f[k++], &q, &error);
        n = put(h, n, error);
    }
    return put(h, n, q);
}

/* h = b e. @return its length */
MESH_STATIC int scale(const double *e, int n_e, double b, double *h)
{
    double q, error, product, product_error, next;
    int n = 0;

    if (n_e == 0)
        return 0;
    two_product(e[0], b, &q, &error);
    n = put(h, n, error);
    for (int i = 1; i < n_e; i++) {
        two_product(e[i], b, &product, &product_error);
        two_sum(q, product_error, &next, &error);
        n = put(h, n, error);
        fast_two_sum(product, next, &q, &error);
        n = put(h, n, error);
    }
    return put(h, n, q);
}

/* h = e f, of at most TERM components. @return its length */
MESH_STATIC int multiply(const double *e, int n_e, const double *f, int n_f, double *h)
{
    double part[2 * MINOR], rest[TERM];
    int n = 0;

    for (int k = 0; k < n_f; k++) {
        const int n_part = scale(e, n_e, f[k], part);
        const int n_rest = n;

        for (int i = 0; i < n; i++)
            rest[i] = h[i];
        n = sum(part, n_part, rest, n_rest, h);
    }
    return n;
}

MESH_STATIC void negate(double *e, int n)
{
    for (int i = 0; i < n; i++)
        e[i] = -e[i];
}

/* h = a - b. @return its length */
MESH_STATIC int difference(double a, double b, double h[DIFFERENCE])
{
    double x, y;

    two_sum(a, -b, &x, &y);
    return put(h, put(h, 0, y), x);
}

MESH_STATIC double sign_of(const double *e, int n)
{
    return n == 0 ? 0 : e[n - 1];
}

/* ---- points relative to another one ---- */

typedef struct {
    double x[DIFFERENCE], y[DIFFERENCE];
    int n_x, n_y;
} vector_t;

MESH_STATIC vector_t vector(const double a[2], const double from[2])
{
    vector_t v;

    v.n_x = difference(a[0], from[0], v.x);
    v.n_y = difference(a[1], from[1], v.y);
    return v;
}

/* h = a.x b.y - a.y b.x. @return its length */
MESH_STATIC int minor(const vector_t *a, const vector_t *b, double h[MINOR])
{
    double left[SQUARE], right[SQUARE];
    const int n_left = multiply(a->x, a->n_x, b->y, b->n_y, left);
    const int n_right = multiply(a->y, a->n_y, b->x, b->n_x, right);

    negate(right, n_right);
    return sum(left, n_left, right, n_right, h);
}

/* h = |a|^2. @return its length */
MESH_STATIC int lift(const vector_t *a, double h[MINOR])
{
    double xx[SQUARE], yy[SQUARE];
    const int n_xx = multiply(a->x, a->n_x, a->x, a->n_x, xx);
    const int n_yy = multiply(a->y, a->n_y, a->y, a->n_y, yy);

    return sum(xx, n_xx, yy, n_yy, h);
}

/* h = |a|^2 (b x c). @return its length */
MESH_STATIC int term(const vector_t *a, const vector_t *b, const vector_t *c,
                     double h[TERM])
{
    double square[MINOR], area[MINOR];
    const int n_square = lift(a, square), n_area = minor(b, c, area);

    return multiply(square, n_square, area, n_area, h);
}

MESH_RARE double orient2d_exact(const double a[2], const double b[2], const double c[2])
{
    const vector_t ca = vector(a, c), cb = vector(b, c);
    double area[MINOR];

    return sign_of(area, minor(&ca, &cb, area));
}

MESH_RARE double incircle_exact(const double a[2], const double b[2], const double c[2],
                                const double d[2])
{
    const vector_t da = vector(a, d), db = vector(b, d), dc = vector(c, d);
    double t[3][TERM], two[2 * TERM], all[3 * TERM];
    const int n_0 = term(&da, &db, &dc, t[0]);
    const int n_1 = term(&db, &dc, &da, t[1]);
    const int n_2 = term(&dc, &da, &db, t[2]);
    const int n_two = sum(t[0], n_0, t[1], n_1, two);

    return sign_of(all, sum(two, n_two, t[2], n_2, all));
}

/* ---- with a bound ---- */

MESH_FN double orient2d(const double a[2], const double b[2], const double c[2])
{
    const double left = (a[0] - c[0]) * (b[1] - c[1]);
    const double right = (a[1] - c[1]) * (b[0] - c[0]);
    const double area = left - right;
    const double bound = (3 + 16 * half_ulp) * half_ulp * (fabs(left) + fabs(right));

    return fabs(area) > bound ? area : orient2d_exact(a, b, c);
}

MESH_FN double incircle(const double a[2], const double b[2], const double c[2],
                        const double d[2])
{
    const double adx = a[0] - d[0], ady = a[1] - d[1];
    const double bdx = b[0] - d[0], bdy = b[1] - d[1];
    const double cdx = c[0] - d[0], cdy = c[1] - d[1];
    const double bc = bdx * cdy, cb = cdx * bdy, ca = cdx * ady, ac = adx * cdy;
    const double ab = adx * bdy, ba = bdx * ady;
    const double a2 = adx * adx + ady * ady, b2 = bdx * bdx + bdy * bdy;
    const double c2 = cdx * cdx + cdy * cdy;
    const double inside = a2 * (bc - cb) + b2 * (ca - ac) + c2 * (ab - ba);
    const double size = (fabs(bc) + fabs(cb)) * a2 + (fabs(ca) + fabs(ac)) * b2 +
                        (fabs(ab) + fabs(ba)) * c2;

    return fabs(inside) > (10 + 96 * half_ulp) * half_ulp * size
               ? inside
               : incircle_exact(a, b, c, d);
}
