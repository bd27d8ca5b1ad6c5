 ºA.v = undefined;
(function (A) {
    A[A["B"] = 1] = "B";
    A[A["C"] = 2] = "C";
})(ºA.v || (ºA.v = {}));
 ºN.v = undefined;
(function (N) {
    N.x = ºA.v.B;
})(ºN.v || (ºN.v = {}));
return await º0.held(ºA.v.C);