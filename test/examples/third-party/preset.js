// A preset of another project: its own runtime, plugin, serializer and host method, and a replacement for types and caps.
import { definePlugin, definePreset, guestHalf } from 'pi-rlm'
import { declarations } from 'pi-rlm/plugins/declarations'
import { memory } from 'pi-rlm/plugins/memory'
import { node } from 'pi-rlm/plugins/runtimes/node'

const base = node()

/** A runtime: the same program with a mark in its environment. */
const marked = { ...base, name: 'marked-node', plan: request => ({ ...base.plan(request), env: { ...request.env, MARKED_RUNTIME: 'yes' } }) }

/** A plugin with both halves. */
const greeting = definePlugin({
  name: 'greeting',
  guest: guestHalf(import.meta.url, './greeting.guest'),
  host(host) {
    host.method({
      handle: 'clock', name: 'double', description: 'twice a number',
      params: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false },
      run: ({ n }, { cell }) => ({ twice: 2 * n, cell: cell.number }),
    })
    host.hooks.onOutput.tap('greeting', chunk => ({ ...chunk, text: chunk.text.replaceAll('password', '********') }))
  },
})

export const preset = definePreset({ name: 'third-party', runtime: marked, plugins: [declarations(), memory(), greeting()] })
