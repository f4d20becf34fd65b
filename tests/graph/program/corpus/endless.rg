output attribute int x;
while (true) { foreach (v in nodes) { v.x += 1; } }
