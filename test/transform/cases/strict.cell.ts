'use strict'
known = 1; let declared = 2; declared = known
