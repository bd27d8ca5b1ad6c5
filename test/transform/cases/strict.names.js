'use strict'
known = 1;  declared = 2; return await º0.held(declared = known)
