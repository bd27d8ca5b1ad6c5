import { definePreset } from '../kernel/plugin.ts'
import { autosave } from '../plugins/autosave/index.ts'
import { declarations } from '../plugins/declarations/index.ts'
import { fastNames } from '../plugins/fast-names/index.ts'
import { lazyRestore } from '../plugins/lazy-restore/index.ts'
import { memory } from '../plugins/memory/index.ts'
import { npmCache } from '../plugins/npm-cache/index.ts'
import { outputCaps } from '../plugins/output-caps/index.ts'
import { piTools } from '../plugins/pi-tools/index.ts'
import { bun } from '../plugins/runtimes/bun.ts'
import { serovalSerializer } from '../plugins/seroval-serializer/index.ts'
import { shell } from '../plugins/shell/index.ts'
import { subagents } from '../plugins/subagents/index.ts'
import { tsStrip } from '../plugins/ts-strip/index.ts'
import { v8Serializer } from '../plugins/v8-serializer/index.ts'

/** The notebook on bun, with everything. The order of the list is the order, in both processes. */
export const preset = definePreset({
  name: 'default',
  runtime: bun(),
  plugins: [
    tsStrip(), declarations(), fastNames(), npmCache(), v8Serializer(), serovalSerializer(), lazyRestore(), autosave(),
    memory(), shell(), subagents(), piTools(), outputCaps(),
  ],
})
