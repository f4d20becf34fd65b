// pagerank.rg - PageRank by Jacobi iterations from 1/n, until all changes add up to less
// than the tolerance.  The rank of nodes without arcs goes to all nodes.
param real damping = 0.85;
param real tolerance = 1e-6;
param int iterations = 100;
output attribute real rank = 1.0 / nodes.size;
attribute real share;
attribute real next;
real change = infinity;
int n = 0;

while (n < iterations && change >= tolerance) {
    foreach (v in nodes) {
        v.share = v.degree > 0 ? v.rank / v.degree : 0;
    }
    real dangling = sum(v in nodes where v.degree == 0: v.rank);
    real base = (1 - damping) / nodes.size + damping * dangling / nodes.size;
    foreach (v in nodes) {
        v.next = base + damping * sum(u in v.in: u.share);
    }
    change = sum(v in nodes: abs(v.next - v.rank));
    swap rank, next;
    n += 1;
}
