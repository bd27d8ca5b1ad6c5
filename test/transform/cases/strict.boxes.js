'use strict'
ºknown.assigned = 1;  ºdeclared.v = 2; return await º0.held(ºdeclared.v = ºknown.assigned)
