import { definePreset } from '../kernel/plugin.ts'
import { declarations } from '../plugins/declarations/index.ts'
import { fastNames } from '../plugins/fast-names/index.ts'
import { memory } from '../plugins/memory/index.ts'
import { npmCache } from '../plugins/npm-cache/index.ts'
import { outputCaps } from '../plugins/output-caps/index.ts'
import { piTools } from '../plugins/pi-tools/index.ts'
import { bun } from '../plugins/runtimes/bun.ts'


/** The notebook on bun, with everything. The order of the list is the order, in both processes. */
export const preset = definePreset({
  name: 'default',
  runtime: bun(),
  plugins: [declarations(), fastNames(), npmCache(), memory(), piTools(), outputCaps()],
})
