/** What a value is made of, as far as saving it is concerned. The order is the bit of each kind in a survey. */
export const KINDS = [
  'plain', 'array', 'map', 'set', 'date', 'regexp', 'boxed', 'error', 'aggregate-error', 'buffer', 'view', 'node-buffer', 'window',
  'shared-buffer', 'growable-buffer', 'url', 'url-params', 'headers', 'dom-exception', 'null-prototype', 'sparse', 'frozen',
  'registered-symbol', 'symbol', 'symbol-key', 'accessor', 'hidden-key', 'extra-key', 'instance', 'function', 'opaque',
] as const
export type Kind = typeof KINDS[number]
