import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * What a library computes while it is loaded and a cell seldom needs is left until it is asked for: in meriyah the table of
 * all of Unicode's identifiers, and the names of HTML's entities, which only JSX has. A version that says it otherwise is refused.
 */
const LATER = {
  meriyah: [
    [/const unicodeLookup = (\(\(compressed, lookup\) => \{[^]*?\}\)\(.*\));/, (_, table) => `let $identifiers; const identifiers = () => $identifiers ??= ${table};`],
    [/unicodeLookup\[/g, () => 'identifiers()['],
    [/const entities = (new Map\(Object\.entries\(\{[^]*?\n\}\)\));/, (_, table) => `let $entities; const entities = { get: name => ($entities ??= ${table}).get(name) };`],
  ],
}

function withLaterTables(name, text) {
  return LATER[name].reduce((changed, [pattern, by]) => {
    const next = changed.replace(pattern, by)
    if (next === changed) throw new Error(`${name} has no ${pattern} any more: the build must be told what it has instead`)
    return next
  }, text)
}

export const laterTables = {
  name: 'later tables',
  setup: ({ onLoad }) => { onLoad({ filter: /[\\/]meriyah[\\/]dist[\\/]meriyah\.m?js$/ }, ({ path }) => ({ contents: withLaterTables('meriyah', readFileSync(path, 'utf8')) })) },
}

/** Of a library with many parts, those the guest uses: its index would load every one. */
const PARTS = { tapable: ['SyncBailHook', 'SyncWaterfallHook'] }
export const usedParts = {
  name: 'used parts',
  setup: ({ onLoad }) => { onLoad({ filter: /[\\/]tapable[\\/]lib[\\/]index\.js$/ }, ({ path }) => ({ contents: PARTS.tapable.map(name => `exports.${name} = require('./${name}')`).join('\n'), resolveDir: dirname(path) })) },
}

/** Of the guest's libraries, those that bun has itself. */
export const BUN_HAS = ['import-meta-resolve']
