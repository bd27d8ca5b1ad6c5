º01();º02();º03();º04();return await º0.held((0, ºbefore.v)())
function º01() { ºbefore.v = function before() { return before.name }; }
function º02() { ºafter.v = async function* after(x = ºbefore.v) { yield x }; }
function º03() { ºonce.v = ({"once": function () { ºonce.v = ({once: () => 1})["once"] }})["once"]; }
function º04() { ºnamed.v = function named() {}; }
