º0.var("h");º0.var("i");º0.var("j");º0.var("k");º0.var("m");º0.var("n");º0.var("o"); a = 1, b = undefined, c = a + 1;
; ({ d, e: [f = 2], ...g } = { d: 1, e: [] });
 0;
for ( i = 0, j = 1; i < j; i++) {  k = i; }
for ( { m } of []) ;
if (a)  n = 1; else  [o] = [2];
 p = undefined
;return await º0.held([a, b].length)
