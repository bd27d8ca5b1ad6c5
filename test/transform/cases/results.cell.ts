const a = 1
// the value
a + 1 // of the cell
;
