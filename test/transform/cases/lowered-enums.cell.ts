enum A { B = 1, C }
namespace N { export const x = A.B }
A.C
