 ºa.v = 1, ºb.v = 2;
return await (ºa.v < !--ºb.v)
