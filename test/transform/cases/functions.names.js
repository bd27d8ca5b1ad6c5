º01();º02();º03();º04();return await º0.held((0, before)())
function º01() { before = function before() { return before.name }; }
function º02() { after = async function* after(x = before) { yield x }; }
function º03() { once = ({"once": function () { once = () => 1 }})["once"]; }
function º04() { named = function named() {}; }
