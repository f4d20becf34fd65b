output attribute int x; set s;
node n;
foreach (v in s) { s.add(v); }
while (true) { x = 1 / 0; /* no end
