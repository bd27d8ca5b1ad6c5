º01(); ºf.v = ({f: x => x})["f"];
;(0, ºf.v)(1), (0, ºf.v)?.(2), (0, ºf.v)`t`, new ºf.v(), ºf.typeOf(), ºunknown.typeOf()
 ºo.v = { f: ºf.v, f2: ºf.v, [(0, ºf.v)(1)]: 1, f() { return ºf.v } }
;({ f: ºf.v, g: ºf.v.h = ºf.v } = ºo.v)
ºf.v.x++, ++ºf.v.y
{ let f = 1; f() }
function º01() { ºp.v = function p(f, { o } = {}) { return f(o) }; }
