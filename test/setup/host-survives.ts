import { afterAll, expect } from 'vitest'

const strays: string[] = []
process.on('uncaughtExceptionMonitor', error => strays.push(String(error)))
process.on('unhandledRejection', reason => strays.push(`unhandled: ${String(reason)}`))

// The gate "host survives" holds over the whole suite: a stray error in any file fails that file.
afterAll(() => expect(strays).toEqual([]))
