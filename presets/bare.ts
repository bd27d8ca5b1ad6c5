import { definePreset } from '../kernel/plugin.ts'
import { declarations } from '../plugins/declarations/index.ts'
import { node } from '../plugins/runtimes/node.ts'
import { v8Serializer } from '../plugins/v8-serializer/index.ts'

/** A runtime, declarations and one serializer, nothing else: the kernel stands alone. */
export const preset = definePreset({ name: 'bare', runtime: node(), plugins: [declarations(), v8Serializer()] })
