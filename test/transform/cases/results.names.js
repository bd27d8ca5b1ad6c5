 a = 1;
// the value
return await (a + 1 // of the cell
);
