 A = undefined;
(function (A) {
    A[A["B"] = 1] = "B";
    A[A["C"] = 2] = "C";
})(A || (A = {}));
 N = undefined;
(function (N) {
    N.x = A.B;
})(N || (N = {}));
return await º0.held(A.C);