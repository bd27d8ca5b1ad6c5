A = class A { static n = A.name; #p = outer; m() { return this.#p } };
 B = class extends A {};
 C = class {};
return await º0.held(C ??= class {})
