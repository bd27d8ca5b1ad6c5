const f = x => x
f(1), f?.(2), f`t`, new f(), typeof f, typeof unknown
const o = { f, f2: f, [f(1)]: 1, f() { return f } }
;({ f, g: f.h = f } = o)
f.x++, ++f.y
{ let f = 1; f() }
function p(f, { o } = {}) { return f(o) }
