'use strict'
known = 1;  declared = 2; return await (declared = known)
