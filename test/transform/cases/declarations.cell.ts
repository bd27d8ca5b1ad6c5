let a = 1, b, c = a + 1
const { d, e: [f = 2], ...g } = { d: 1, e: [] }
var h
for (var i = 0, j = 1; i < j; i++) { var k = i }
for (var { m } of []) ;
if (a) var n = 1; else var [o] = [2]
let p
;[a, b].length
