import * as fs from 'node:fs/promises'

// Kept from before the first cell: cells replace globals, and node re-binds named imports of its own modules.
const { parse: parseJson, stringify: toJson } = JSON
const { mkdtemp: makeFolder, readFile: readBytes, rm: removeFolder, writeFile: writeBytes } = fs
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

const { pid: ownPid } = process
const { access } = fs
const fileExists = (path: string): Promise<boolean> => access(path).then(() => true, () => false)

export { fileExists, makeFolder, ownPid, parseJson, readBytes, removeFolder, startTimer, stopTimer, toJson, writeBytes }
