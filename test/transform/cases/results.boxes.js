 ºa.v = 1;
// the value
return await (ºa.v + 1 // of the cell
);
