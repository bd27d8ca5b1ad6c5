class A { static n = A.name; #p = outer; m() { return this.#p } }
const B = class extends A {}
let C = class {}
C ??= class {}
