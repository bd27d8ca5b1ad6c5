import * as fs from 'node:fs/promises'

// Kept from before the first cell: cells replace globals, and node re-binds named imports of its own modules.
const { parse: parseJson, stringify: toJson } = JSON
const { mkdtemp: makeFolder, readFile: readBytes, writeFile: writeBytes } = fs
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

export { makeFolder, parseJson, readBytes, startTimer, stopTimer, toJson, writeBytes }
