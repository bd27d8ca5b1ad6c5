 a = 1, b = 2;
return await º0.held(a < !--b)
