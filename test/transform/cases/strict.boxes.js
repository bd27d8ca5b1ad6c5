'use strict'
ºknown.assigned = 1;  ºdeclared.v = 2; return await (ºdeclared.v = ºknown.assigned)
