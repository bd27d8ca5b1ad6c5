import { definePreset } from '../kernel/plugin.ts'
import { declarations } from '../plugins/declarations/index.ts'
import { node } from '../plugins/runtimes/node.ts'

/** A runtime and declarations, nothing else: the kernel stands alone. */
export const preset = definePreset({ name: 'bare', runtime: node(), plugins: [declarations()] })
