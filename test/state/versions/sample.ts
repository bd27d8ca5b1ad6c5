/** What every state of this folder holds. */
export function sample(): Record<string, unknown> {
  const shared = { n: 1n, at: new Date(5) }
  const loop: Record<string, unknown> = { list: [1, -0, NaN, 'é\ud800'] }
  loop['self'] = loop
  return {
    text: 'hello',
    data: { shared, again: shared, map: new Map<unknown, unknown>([[{ k: 1 }, new Set(['a'])]]), pattern: /a(?<x>b)/giu, bytes: new Uint8Array([1, 2, 3]).buffer },
    loop,
    failure: Object.assign(new RangeError('no', { cause: new TypeError('root') }), { code: 'E_NO' }),
    views: (() => { const b = new ArrayBuffer(16); return [new Int32Array(b), new Uint8Array(b, 2, 3)] })(),
  }
}
