interface A { a: number }
type B = A | null
declare const ghost: string
const a: B = { a: 1 } as A, b = <T,>(x: T): T => x
abstract class C { abstract f(): void; declare g: string; h!: number }
b<string>('x')
a!.a satisfies number
