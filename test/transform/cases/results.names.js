 a = 1;
// the value
return await º0.held(a + 1 // of the cell
);
