#!/usr/bin/env node
import { cli } from './cli.ts'
import { processIo, write } from './io.ts'

const io = processIo()
// A reader that leaves is dealt with where it matters; it is never a crash.
for (const stream of [io.stdout, io.stderr]) stream.on('error', () => {})
const code = await cli(process.argv.slice(2), io)
// An open stdin or terminal would keep the process; what was written goes out first.
await Promise.all([write(io.stdout, ''), write(io.stderr, '')])
process.exit(code)
