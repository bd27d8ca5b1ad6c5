/**
 * Random programs that mean the same as a module and as cells: closures, loops, destructuring, await, throw, classes,
 * generators, shadowing. Each name is declared once and before its use, no constant is assigned, and what happens is
 * pushed to `log`.
 */
export interface Program { readonly seed: number; readonly statements: readonly string[] }

type Random = () => number

/** A small generator with a good spread; the same seed gives the same program everywhere. */
function randomFrom(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function randomProgram(seed: number): Program {
  return { seed, statements: new Author(randomFrom(seed)).write() }
}

/** The same program cut into cells at random borders; the last one asks for the log. */
export function inCells({ seed, statements }: Program): string[] {
  const random = randomFrom(seed ^ 0x5bd1e995)
  const cells: string[][] = [['const log = []']]
  for (const statement of statements) {
    if (random() < 0.4) cells.push([statement])
    else cells.at(-1)?.push(statement)
  }
  return [...cells.map(cell => cell.reduce((text, next) => text + border(next, random) + next)), 'log']
}

/** A line end is enough between statements, unless the next one begins with what would continue the line before. */
const border = (next: string, random: Random): string => /^[[(`]/.test(next) || random() < 0.5 ? ';\n' : '\n'

export const asModule = ({ statements }: Program): string => `const log = []\n${statements.join(';\n')}\nexport default log`

class Author {
  private readonly random: Random
  private readonly lets: string[] = []
  private readonly consts: string[] = []
  private readonly functions: string[] = []
  private readonly classes: string[] = []
  private count = 0

  constructor(random: Random) { this.random = random }

  write(): string[] {
    const statements = [`let a0 = ${this.number()}`, `var b0 = ${this.number()}`]
    this.lets.push('a0', 'b0')
    const length = 4 + this.upTo(10)
    for (let i = 0; i < length; i++) statements.push(this.statement())
    return [...statements, `log.push(${[...this.lets, ...this.consts].join(', ')})`]
  }

  private upTo(limit: number): number { return Math.floor(this.random() * limit) }
  private pick<T>(list: readonly T[]): T { return list[this.upTo(list.length)] as T }
  private number(): string { return String(this.upTo(20)) }
  private fresh(letter: string): string { return `${letter}${++this.count}` }
  private name(): string { return this.pick([...this.lets, ...this.consts]) }

  /** An expression without effects on anything but what functions of the program do. */
  private value(depth = 2): string {
    const call = this.functions.length > 0 && depth > 0 ? [() => `${this.pick(this.functions)}(${this.value(depth - 1)})`] : []
    const made = this.classes.length > 0 && depth > 0 ? [() => `new ${this.pick(this.classes)}(${this.value(depth - 1)}).n`] : []
    const deeper = depth <= 0 ? [] : [
      () => `(${this.value(depth - 1)} + ${this.value(depth - 1)}) % 97`,
      () => `(${this.value(depth - 1)} > ${this.value(depth - 1)} ? ${this.value(depth - 1)} : ${this.value(depth - 1)})`,
      () => `[${this.value(depth - 1)}, ${this.value(depth - 1)}].map(x => x + ${this.name()})[1]`,
      () => { const n = this.name(); return `({ ${n}, k: ${this.value(depth - 1)} }).${this.pick(['k', n])}` },
      () => `((${this.name()}) => ${this.name()} * 2)(${this.value(depth - 1)})`,
      () => `(function (x) { return this === undefined ? x + arguments.length : -1 })(${this.value(depth - 1)})`,
      () => '`${' + this.value(depth - 1) + '}`.length',
      () => `(${this.name()} ?? ${this.value(depth - 1)})`,
      () => `(typeof ${this.name()} === 'number' ? ${this.name()} : ${this.number()})`,
    ]
    return this.pick([() => this.number(), () => this.name(), ...deeper, ...call, ...made])()
  }

  private statement(): string {
    return this.pick([
      () => this.declaration(), () => this.declaration(), () => this.assignment(), () => this.assignment(), () => this.destructuring(), () => this.functionDeclaration(),
      () => this.classDeclaration(), () => this.loop(), () => this.loop(), () => this.block(), () => this.attempt(), () => this.awaiting(),
      () => this.closures(), () => this.switching(), () => this.generator(), () => `log.push(${this.value()})`,
      () => this.functions.length > 0 ? `${this.pick(this.functions)}(${this.value()})` : this.assignment(),
    ])()
  }

  private declaration(): string {
    const kind = this.pick(['let', 'const', 'var'])
    const [first, second] = [this.fresh('v'), this.fresh('v')]
    const [one, two] = [this.value(), this.value()]
    ;(kind === 'const' ? this.consts : this.lets).push(first, second)
    if (kind !== 'const' && this.random() < 0.2) return `${kind} ${first} = ${one}, ${second}\n${second} = ${two}`
    return `${kind} ${first} = ${one}, ${second} = ${two}`
  }

  private assignment(): string {
    const target = this.pick(this.lets)
    return this.pick([
      () => `${target} = ${this.value()}`, () => `${target} += ${this.value()}`, () => `${target}++`, () => `--${target}`, () => `${target} ??= ${this.value()}`,
      () => `${target} &&= ${this.value()}`, () => `[${target}, ${this.pick(this.lets)}] = [${this.value()}, ${this.value()}]`,
      () => `({ k: ${target} = ${this.value()} } = { k: ${this.pick(['undefined', this.value()])} })`, () => `log.push(${target} = ${this.value()})`,
    ])()
  }

  private destructuring(): string {
    const [one, two, rest] = [this.fresh('d'), this.fresh('d'), this.fresh('d')]
    const value = this.value()
    const kind = this.pick(['let', 'const', 'var'])
    const text = this.pick([
      `${kind} { ${one}, k: [, ${two} = ${this.value()}], ...${rest} } = { ${one}: ${value}, k: [1], z: 3 }\nlog.push(${rest}.z)`,
      `${kind} [${one}, , ${two} = ${value}, ...${rest}] = [1, 2, undefined, 4, 5]\nlog.push(${rest}.length)`,
      `${kind} { ${one} = ${value}, ['k' + 1]: ${two} } = { k1: 2 }, ${rest} = 1`,
    ])
    ;(kind === 'const' ? this.consts : this.lets).push(one, two)
    return text
  }

  private functionDeclaration(): string {
    const name = this.fresh('f')
    const parameter = this.pick(['x', this.name()])
    const target = this.pick(this.lets)
    const body = this.pick([
      `return (${parameter} + ${this.value(1)}) % 89`,
      `return this === undefined ? ${parameter} : -100`,
      `${parameter === target ? '' : `${target} = (${target} + 1) % 50; `}return ${parameter}`,
      `if (${parameter} < 1 || typeof ${parameter} !== 'number') return 1; return ${name}(Math.min(${parameter}, 5) - 1) + 1`,
      `var inner = ${this.value(1)}; { let inner2 = inner; inner = () => inner2 } return inner()`,
      `try { if (${parameter} > 5) throw ${parameter}; return 5 } catch (${this.name()}) { return 6 } finally { log.push('f') }`,
    ])
    this.functions.push(name)
    return `function ${name}(${parameter} = ${this.number()}) { ${body} }`
  }

  private classDeclaration(): string {
    const name = this.fresh('C')
    const parent = this.classes.length > 0 && this.random() < 0.4 ? this.pick(this.classes) : undefined
    const text = `class ${name} ${parent === undefined ? '' : `extends ${parent} `}{ static made = ${this.value(1)}; #p = ${this.value(1)}; constructor(n) { ${parent === undefined ? '' : 'super(n); '}this.n = n } get p() { return this.#p + ${name}.made } static { ${name}.made++ } [${this.pick(['\'k\' + 1', '\'m\''])}]() { return ${this.name()} } }\nlog.push(new ${name}(1).p, ${name}.name)`
    this.classes.push(name)
    return text
  }

  private loop(): string {
    const target = this.pick(this.lets)
    const counter = this.fresh('i')
    const made = this.fresh('w')
    const text = this.pick([
      `for (let i = 0; i < 3; i++) { ${target} += i; if (i === 1) continue; log.push(i) }`,
      `for (var ${counter} = 0; ${counter} < 2; ${counter}++) { var ${made} = ${counter} * ${this.number()} }\nlog.push(${counter}, ${made})`,
      `for (const [x, y = ${this.value(1)}] of [[1], [2, 3]]) log.push(x + y)`,
      `for (const k in { a: 1, b: 2 }) { if (k === 'b') break; log.push(k) }`,
      `for (${target} of [${this.value(1)}, ${this.value(1)}]) log.push(${target})`,
      `outer: for (const x of [1, 2, 3]) { for (const y of [1, 2]) { if (y === 2) continue outer; if (x === 3) break outer; log.push(x * 10 + y) } }`,
      `{ let n = 3; while (n --> 0) { ${target} = n; if (n === 1) break } do { log.push(n) } while (n++ < 2) }`,
      `for await (const x of [${this.value(1)}, Promise.resolve(${this.value(1)})]) log.push(x)`,
    ])
    if (text.startsWith('for (var')) this.lets.push(counter, made)
    return text
  }

  private block(): string {
    const shadowed = this.name()
    return this.pick([
      `{ let ${shadowed} = ${this.number()}; const g = () => ${shadowed}; ${shadowed}++; log.push(g()) }`,
      `{ function local(x) { return x + ${this.name()} } log.push(local(1)) }`,
      `if (${this.value(1)} > 5) { const t = ${this.value(1)}; log.push(t) } else log.push('else')`,
      `{ class ${shadowed} { static s = 1 } log.push(${shadowed}.s) }`,
    ])
  }

  private attempt(): string {
    const target = this.pick(this.lets)
    return this.pick([
      `try { ${target} = ${this.value(1)}; throw new Error('e' + ${target}) } catch (e) { log.push(e.message) } finally { ${target}++ }`,
      `try { const { x, y = (() => { throw 7 })() } = { x: 1 } } catch (e) { log.push(e) }`,
      `try { null.x } catch ({ name }) { log.push(name) }`,
      `try { unknownName } catch (e) { log.push(e.name, typeof unknownName) }`,
    ])
  }

  private awaiting(): string {
    const name = this.fresh('p')
    const text = this.pick([
      `const ${name} = await (async () => { await null; return ${this.value(1)} })()`,
      `const ${name} = (await Promise.all([${this.value(1)}, ${this.value(1)}])).length`,
      `const ${name} = await Promise.reject(new Error('r')).catch(() => ${this.value(1)})`,
    ])
    this.consts.push(name)
    return text
  }

  private closures(): string {
    const target = this.pick(this.lets)
    const [get, add] = [this.fresh('g'), this.fresh('g')]
    this.functions.push(get)
    return `const ${get} = () => ${target}, ${add} = function (n) { ${target} = (${target} + n) % 60; return ${target} }\nlog.push(${get}(), ${add}(2), ${get}(), ${get}.name, ${add}.name)\nconst fs${this.count} = []; for (let i = 0; i < 2; i++) fs${this.count}.push(() => i + ${target})\nlog.push(...fs${this.count}.map(f => f()))`
  }

  private switching(): string {
    return `switch (${this.value(1)} % 3) { case 0: log.push('zero'); case 1: { let q = ${this.name()}; log.push(q); break } default: log.push('many') }`
  }

  private generator(): string {
    const name = this.fresh('y')
    return `function* ${name}() { try { const got = yield ${this.value(1)}; yield got + ${this.name()} } finally { log.push('closed') } }\nconst it${this.count} = ${name}(); log.push(it${this.count}.next().value, it${this.count}.next(${this.number()}).value, it${this.count}.return(9).value)`
  }
}
