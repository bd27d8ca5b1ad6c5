 f = () => 1;
 g = f;
;(0, f)()
 h = g;
;(0, parseInt)('1')
; ({ i } = { i: 1 })
;[h] = [i]
return await º0.held(h)
