 ºa.v = 1, ºb.v = 2;
return await º0.held(ºa.v < !--ºb.v)
