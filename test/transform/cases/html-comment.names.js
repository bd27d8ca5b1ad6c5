 a = 1, b = 2;
return await (a < !--b)
