 ºa.v = 1;
// the value
return await º0.held(ºa.v + 1 // of the cell
);
