import { expect, test } from 'vitest'
import { chooseModel } from '../../plugins/subagents/models.ts'

const known = [
  { provider: 'huggingface', id: 'Qwen/Qwen3', window: 32_000 }, { provider: 'anthropic', id: 'claude-sonnet' }, { provider: 'other', id: 'claude-sonnet' },
  { provider: 'local', id: 'qwen:7b' }, { provider: 'plain', id: 'no-thinking', levels: ['off'] },
]

test.each([
  ['huggingface/Qwen/Qwen3', { model: 'huggingface/Qwen/Qwen3', window: 32_000 }],
  ['Qwen/Qwen3', { model: 'huggingface/Qwen/Qwen3', window: 32_000 }],
  ['Qwen/Qwen3:low', { model: 'huggingface/Qwen/Qwen3:low', window: 32_000 }],
  ['local/qwen:7b', { model: 'local/qwen:7b' }],
  ['qwen:7b:high', { model: 'local/qwen:7b:high' }],
  ['anthropic/claude-sonnet', { model: 'anthropic/claude-sonnet' }],
])('%s is the one model of that name', (requested, choice) => {
  expect(chooseModel(requested, known)).toEqual(choice)
})

test.each([
  ['claude-sonnet', /several providers: anthropic\/claude-sonnet, other\/claude-sonnet/],
  ['nope/none', /there is no model 'nope\/none'. Nearest: /],
  ['sonnet', /Nearest: anthropic\/claude-sonnet, other\/claude-sonnet/],
  ['qwen:8b', /there is no model 'qwen:8b'. Nearest: local\/qwen:7b/],
  ['no-thinking:high', /has no thinking level 'high'; it has off/],
  ['anthropic/claude-sonnet:extreme', /has no thinking level 'extreme'/],
])('%s is refused with what would have been right, never replaced by another', (requested, refused) => {
  expect(chooseModel(requested, known)).toEqual({ refused: expect.stringMatching(refused) as string })
})
