const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A guest half: a text transform, a serializer, an importer and a global, all through the API it is handed. */
export default function greeting(guest) {
  guest.hooks.beforeTransform.tap('greeting', source => source.replace(/^hello (\w+)$/m, '"hello, $1"'))
  guest.global('greeting', 'good day')
  guest.importer({ scheme: 'made:', load: async specifier => ({ default: `made for ${specifier.slice(5)}` }) })
  guest.serializer({
    codec: 'third-party-json',
    encode: value => typeof value === 'string' || typeof value === 'number' ? { bytes: encoder.encode(JSON.stringify(value)) } : undefined,
    decode: bytes => JSON.parse(decoder.decode(bytes)),
  })
}
