import { definePreset } from '../kernel/plugin.ts'
import { node } from '../plugins/runtimes/node.ts'
import { preset as standard } from './default.ts'

/** The same notebook on node. */
export const preset = definePreset({ name: 'node', runtime: node(), plugins: standard.plugins })
