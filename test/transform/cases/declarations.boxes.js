º0.var("h");º0.var("i");º0.var("j");º0.var("k");º0.var("m");º0.var("n");º0.var("o"); ºa.v = 1, ºb.v = undefined, ºc.v = ºa.v + 1;
; ({ d: ºd.v, e: [ºf.v = 2], ...ºg.v } = { d: 1, e: [] });
 0;
for ( ºi.v = 0, ºj.v = 1; ºi.v < ºj.v; ºi.v++) {  ºk.v = ºi.v; }
for ( { m: ºm.v } of []) ;
if (ºa.v)  ºn.v = 1; else  [ºo.v] = [2];
 ºp.v = undefined
;return await º0.held([ºa.v, ºb.v].length)
