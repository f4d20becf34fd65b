param node start;
attribute int state;
