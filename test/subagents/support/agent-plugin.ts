import { definePlugin, type ChildAgent, type Plugin } from '../../../kernel/plugin.ts'
import { scriptedAgent } from './fake-host.ts'

/** A plugin that gives a preset the scripted child as its agent. */
export const scripted = (change: Partial<ChildAgent> = {}): Plugin =>
  definePlugin({ name: 'scripted-agent', host: host => host.childAgent(scriptedAgent(change)) })()
