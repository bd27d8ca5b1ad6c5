 ºf.v = ({f: () => 1})["f"];
 ºg.v = ºf.v;
;(0, ºf.v)()
 ºh.v = ºg.v;
;(!ºparseInt.bound && parseInt || ºparseInt.v)('1')
; ({ i: ºi.v } = { i: 1 })
;[ºh.v] = [ºi.v]
return await º0.held(ºh.v)
