// subset.rg - the subset construction: a deterministic automaton of one that is not.  The
// graph has an arc for each transition, whose weight is the symbol; arcs of the symbol
// `end` only say that the node they come from accepts.  What is left are the states,
// numbered as they are found, and their arcs (--output-graph); a state has none for a
// symbol that leads nowhere.
param node start;
param int end = 256;
output attribute int state = -1;
output attribute bool accepts;
edge attribute int symbol;
attribute int draw;           // of a node: a number that looks random
attribute int hash;           // of a state: the sum of its nodes' numbers
attribute int size;           // of a state: how many nodes it has
attribute node first = none;  // of a state: the first cell of the list of its nodes
attribute node member = none; // of a cell: the node
attribute node rest = none;   // of a cell: the next one
attribute node less = none;   // of a state, in the search tree of all: a smaller hash
attribute node more = none;   // and a larger one, or an equal one
set here;                     // the nodes of the state `from`
set there;                    // the nodes that its symbol c leads to
queue work;                   // states whose arcs are to be found
node root = none; // of the search tree
node from = none;
int c;
int n;
bool is_done = false;

foreach (v in nodes) {
    v.draw = (v.id + 1) * 6364136223846793005;
    v.draw = v.draw * (v.draw / 4294967296) + v.id;
    foreach (e in v.edges) {
        e.symbol = int(e.weight);
    }
    delete node v;
}
there.add(start);
while (!is_done) {
    // the state of these nodes, which may be a new one
    int hash_there = sum(v in there: v.draw);
    node to = root;
    node above = none;
    bool is_found = false;
    while (to != none && !is_found) {
        if (to.hash == hash_there && to.size == there.size) {
            node cell = to.first;
            while (cell != none && cell.member in there) {
                cell = cell.rest;
            }
            is_found = cell == none;
        }
        if (!is_found) {
            above = to;
            to = hash_there < to.hash ? to.less : to.more;
        }
    }
    if (!is_found) {
        new node found;
        to = found;
        to.state = n;
        n += 1;
        to.accepts = any(v in there: any(e in v.edges: e.symbol == end));
        to.hash = hash_there;
        to.size = there.size;
        if (above == none) {
            root = to;
        } else if (hash_there < above.hash) {
            above.less = to;
        } else {
            above.more = to;
        }
        for (v in there) {
            new node cell;
            cell.member = v;
            cell.rest = to.first;
            to.first = cell;
            delete node cell;
        }
        work.add(to);
    }
    if (from != none) {
        new edge (from, to, c);
    }

    // the next symbol, or the next state
    is_done = true;
    while (is_done && (from != none || work.size > 0)) {
        if (from == none) {
            from = work.first;
            work.pop();
            here.clear();
            node cell = from.first;
            while (cell != none) {
                here.add(cell.member);
                cell = cell.rest;
            }
            c = -1;
        }
        c = min(v in here: min(e in v.edges where e.symbol > c && e.symbol != end:
                               e.symbol));
        is_done = c == 9223372036854775807;
        if (is_done) {
            from = none;
        }
    }
    there.clear();
    foreach (v in here) {
        foreach (e in v.edges where e.symbol == c) {
            there.add(e.to);
        }
    }
}
