ºA.v = class A { static n = A.name; #p = ºouter.v; m() { return this.#p } };
 ºB.v = ({B: class extends ºA.v {}})["B"];
 ºC.v = ({C: class {}})["C"];
return await º0.held(ºC.v ??= ({C: class {}})["C"])
