º01(); f = x => x;
;(0, f)(1), (0, f)?.(2), (0, f)`t`, new f(), º0.typeOf("f"), º0.typeOf("unknown")
 o = { f, f2: f, [(0, f)(1)]: 1, f() { return f } }
;({ f, g: f.h = f } = o)
f.x++, ++f.y
{ let f = 1; f() }
function º01() { p = function p(f, { o } = {}) { return f(o) }; }
