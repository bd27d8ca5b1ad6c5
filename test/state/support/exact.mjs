import util from 'node:util'
// All the ways two graphs differ: identity structure, prototypes, own keys with their descriptors, internal slots.
export function differences(a, b, limit = 5) {
  const out = [], forth = new Map(), back = new Map(), work = [['', a, b]]
  const say = (path, what) => { if (out.length < limit) out.push(`${path || 'value'}: ${what}`) }
  while (work.length && out.length < limit) {
    const [path, x, y] = work.pop()
    if (Object.is(x, y)) continue
    if (typeof x !== typeof y || x === null || y === null || (typeof x !== 'object' && typeof x !== 'function')) { 
      if (typeof x === 'symbol' && typeof y === 'symbol' && Symbol.keyFor(x) && Symbol.keyFor(x) === Symbol.keyFor(y)) continue
      say(path, `${String(x).slice(0,20)} became ${typeof y === 'object' ? util.inspect(y).slice(0,40) : String(y)}`); continue }
    if (forth.has(x) || back.has(y)) { if (forth.get(x) !== y || back.get(y) !== x) say(path, 'identity changed'); continue }
    forth.set(x, y); back.set(y, x)
    const px = Object.getPrototypeOf(x), py = Object.getPrototypeOf(y)
    if (px !== py) { say(path, `prototype ${px?.constructor?.name} became ${py?.constructor?.name}`); continue }
    const tag = Object.prototype.toString.call(x)
    if (tag !== Object.prototype.toString.call(y)) { say(path, 'tag'); continue }
    if (Object.isExtensible(x) !== Object.isExtensible(y)) say(path, 'extensible')
    if (util.types.isDate(x)) { if (!Object.is(Date.prototype.getTime.call(x), Date.prototype.getTime.call(y))) say(path, 'time') }
    if (util.types.isRegExp(x)) { if (x.source !== y.source || x.flags !== y.flags) say(path, 'regexp') }
    if (util.types.isBoxedPrimitive(x)) { if (!Object.is(x.valueOf(), y.valueOf())) say(path, 'boxed') ; if (typeof x.valueOf() === 'string') continue }
    if (util.types.isMap(x)) { if (x.size !== y.size) say(path, 'size'); const ex = [...Map.prototype.entries.call(x)], ey = [...Map.prototype.entries.call(y)]; ex.forEach((e, i) => { work.push([`${path}.key${i}`, e[0], ey[i]?.[0]], [`${path}.val${i}`, e[1], ey[i]?.[1]]) }) }
    if (util.types.isSet(x)) { if (x.size !== y.size) say(path, 'size'); const ex = [...x], ey = [...y]; ex.forEach((e, i) => work.push([`${path}.item${i}`, e, ey[i]])) }
    if (ArrayBuffer.isView(x)) { if (x.byteLength !== y.byteLength || x.length !== y.length) { say(path, 'length'); continue }
      if (Buffer.compare(Buffer.from(x.buffer, x.byteOffset, x.byteLength), Buffer.from(y.buffer, y.byteOffset, y.byteLength))) say(path, 'bytes')
      if (x.byteLength === x.buffer.byteLength) work.push([path + '.buffer', x.buffer, y.buffer])
      continue }
    if (util.types.isAnyArrayBuffer(x)) { if (x.byteLength !== y.byteLength || Buffer.compare(Buffer.from(x), Buffer.from(y))) say(path, 'buffer bytes'); if (x.resizable !== y.resizable || x.maxByteLength !== y.maxByteLength) say(path, 'resizable') }
    if (x instanceof URL || x instanceof URLSearchParams) { if (String(x) !== String(y)) say(path, 'url') ; continue }
    if (x instanceof Headers) { if (JSON.stringify([...x]) !== JSON.stringify([...y])) say(path, 'headers'); continue }
    if (typeof DOMException !== 'undefined' && x instanceof DOMException) { if (x.name !== y.name || x.message !== y.message || x.code !== y.code) say(path, 'domexception'); continue }
    const kx = Reflect.ownKeys(x), ky = Reflect.ownKeys(y)
    const isErr = util.types.isNativeError(x)
    const fx = kx.filter(k => !isErr || !['stack', 'line', 'column', 'sourceURL', 'originalLine', 'originalColumn'].includes(k)), fy = ky.filter(k => !isErr || !['stack', 'line', 'column', 'sourceURL', 'originalLine', 'originalColumn'].includes(k))
    if (isErr ? fx.map(String).sort().join() !== fy.map(String).sort().join() : fx.map(String).join() !== fy.map(String).join()) { say(path, `keys ${fx.map(String).join().slice(0,40)} became ${fy.map(String).join().slice(0,40)}`); continue }
    if (isErr && x.stack !== y.stack) say(path, 'stack')
    fx.forEach((k, i) => { const k2 = fy.includes(k) ? k : fy[i]; const dx = Object.getOwnPropertyDescriptor(x, k), dy = Object.getOwnPropertyDescriptor(y, k2)
      if (dx.get || dx.set) { if (!dy.get && !dy.set) say(`${path}.${String(k)}`, 'accessor became data'); return }
      if (dx.enumerable !== dy.enumerable || dx.writable !== dy.writable || dx.configurable !== dy.configurable) say(`${path}.${String(k)}`, 'attributes')
      work.push([`${path}.${String(k)}`, dx.value, dy.value]) })
  }
  return out
}
