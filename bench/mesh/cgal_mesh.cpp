/*
 * cgal_mesh.cpp - CGAL beside ribogrid's meshes: a program of its own, which is neither
 * built nor linked with ribogrid.
 *
 *     c++ -O2 -o cgal_mesh bench/mesh/cgal_mesh.cpp -lgmp -lmpfr
 *
 * builds it (Debian: libcgal-dev).
 *
 *     cgal_mesh MESH
 *
 * checks MESH.node, MESH.ele and MESH.poly: it prints whether CGAL's constrained
 * triangulation is valid, and how many of the triangles are Delaunay by CGAL's
 * predicates; the exit code is 1 if not all are.
 *
 *     cgal_mesh MESH ANGLE
 *
 * triangulates the points and segments of MESH.node and MESH.poly, refines, and prints
 * triangles, seconds to triangulate, and seconds to refine.
 */
#include <CGAL/Constrained_Delaunay_triangulation_2.h>
#include <CGAL/Delaunay_mesh_face_base_2.h>
#include <CGAL/Delaunay_mesh_size_criteria_2.h>
#include <CGAL/Delaunay_mesh_vertex_base_2.h>
#include <CGAL/Delaunay_mesher_2.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

using kernel_t = CGAL::Exact_predicates_inexact_constructions_kernel;
using vertex_base_t = CGAL::Delaunay_mesh_vertex_base_2<kernel_t>;
using face_base_t = CGAL::Delaunay_mesh_face_base_2<kernel_t>;
using data_t = CGAL::Triangulation_data_structure_2<vertex_base_t, face_base_t>;
using cdt_t = CGAL::Constrained_Delaunay_triangulation_2<kernel_t, data_t>;
using criteria_t = CGAL::Delaunay_mesh_size_criteria_2<cdt_t>;
using point_t = cdt_t::Point;
using rows_t = std::vector<std::vector<double>>;

/* The lines of a file as numbers, without comments; the first has counts. */
static rows_t read_rows(const std::string &path)
{
    std::ifstream in(path);
    rows_t rows;

    if (!in) {
        fprintf(stderr, "%s: cannot be read\n", path.c_str());
        exit(1);
    }
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::vector<double> row{std::istream_iterator<double>(words), {}};

        if (!row.empty())
            rows.push_back(row);
    }
    return rows;
}

static double now()
{
    return std::chrono::duration<double>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/* Triangulate points and segments. @param vertices  out: [points] */
static void build(const rows_t &nodes, const rows_t &poly, cdt_t *cdt,
                  std::vector<cdt_t::Vertex_handle> *vertices)
{
    const int first = static_cast<int>(nodes[1][0]);
    const size_t n_points = static_cast<size_t>(nodes[0][0]);
    const size_t n_own = static_cast<size_t>(poly[0][0]); /* of the .poly */
    const size_t n_segments = static_cast<size_t>(poly[1 + n_own][0]);
    std::vector<std::pair<point_t, size_t>> points;

    for (size_t k = 0; k < n_points; k++)
        points.push_back({point_t(nodes[1 + k][1], nodes[1 + k][2]), k});
    CGAL::spatial_sort(
        points.begin(), points.end(),
        CGAL::Spatial_sort_traits_adapter_2<
            kernel_t, CGAL::First_of_pair_property_map<std::pair<point_t, size_t>>>());
    vertices->resize(n_points);
    cdt_t::Face_handle near;
    for (const auto &p : points) {
        (*vertices)[p.second] = cdt->insert(p.first, near);
        near = (*vertices)[p.second]->face();
    }
    for (size_t k = 0; k < n_segments; k++) {
        const std::vector<double> &s = poly[2 + n_own + k];

        cdt->insert_constraint((*vertices)[static_cast<size_t>(s[1]) - first],
                               (*vertices)[static_cast<size_t>(s[2]) - first]);
    }
}

/* Count triangles that are faces of the triangulation, or have the circle of a face at
 * each of their vertices: points on one circle have several Delaunay triangulations.
 * @param first  number of the first point */
static size_t count_delaunay(const rows_t &elements, int first, const cdt_t &cdt,
                             const std::vector<cdt_t::Vertex_handle> &vertices)
{
    size_t n = 0;

    for (size_t k = 1; k <= static_cast<size_t>(elements[0][0]); k++) {
        cdt_t::Vertex_handle v[3];
        const auto circle = CGAL::ON_ORIENTED_BOUNDARY;
        bool is_good = true;

        for (int i = 0; i < 3; i++)
            v[i] = vertices[static_cast<size_t>(elements[k][1 + i]) - first];
        if (!cdt.is_face(v[0], v[1], v[2]))
            for (int i = 0; i < 3; i++) { /* a face at its vertex has the same circle */
                auto face = cdt.incident_faces(v[i]), end = face;
                bool has_same = false;

                do
                    if (!cdt.is_infinite(face)) {
                        has_same = true;
                        for (int j = 0; j < 3; j++)
                            has_same = has_same &&
                                       cdt.side_of_oriented_circle(face, v[j]->point(),
                                                                   false) == circle;
                    }
                while (!has_same && ++face != end);
                is_good = is_good && has_same;
            }
        n += is_good;
    }
    return n;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fputs("usage: cgal_mesh MESH [ANGLE]\n", stderr);
        return 2;
    }
    const std::string mesh = argv[1];
    const rows_t nodes = read_rows(mesh + ".node"), poly = read_rows(mesh + ".poly");
    std::vector<cdt_t::Vertex_handle> vertices;
    cdt_t cdt;
    const double begin = now();

    build(nodes, poly, &cdt, &vertices);
    const double built = now();
    if (argc == 2) {
        const rows_t elements = read_rows(mesh + ".ele");
        const size_t n = static_cast<size_t>(elements[0][0]);
        const size_t n_good =
            count_delaunay(elements, static_cast<int>(nodes[1][0]), cdt, vertices);

        printf("%s: is_valid %s, %zu of %zu triangles are Delaunay\n", mesh.c_str(),
               cdt.is_valid() ? "yes" : "NO", n_good, n);
        return cdt.is_valid() && n_good == n ? 0 : 1;
    }
    const double sine = std::sin(atof(argv[2]) * M_PI / 180);
    CGAL::Delaunay_mesher_2<cdt_t, criteria_t> mesher(cdt, criteria_t(sine * sine, 0));

    mesher.refine_mesh();
    printf("%zu\t%.3f\t%.3f\n", static_cast<size_t>(cdt.number_of_faces()), built - begin,
           now() - built);
    return 0;
}
