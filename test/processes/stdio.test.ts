import { describe, expect, test } from 'vitest'
import { claimStdio, stdioList } from '../../guest/processes/stdio.ts'

const claim = (stdio: unknown): unknown => claimStdio(stdioList(stdio), channel => `own ${channel}`).slots

describe('a child\'s stdio', () => {
  test.each([
    ['inherit', ['inherit', 'own stdout', 'own stderr']],
    ['pipe', ['pipe', 'pipe', 'pipe']],
    ['ignore', ['ignore', 'ignore', 'ignore']],
    [['ignore', 1, 2], ['ignore', 'own stdout', 'own stderr']],
    [['ignore', 2, 1], ['ignore', 'own stderr', 'own stdout']],
    [['pipe', process.stdout, process.stderr], ['pipe', 'own stdout', 'own stderr']],
    [['pipe', { fd: 1 }, { fd: 7 }], ['pipe', 'own stdout', { fd: 7 }]],
    [[null, undefined, 'pipe'], [null, undefined, 'pipe']],
    [['ignore', 'pipe', 'pipe', 'inherit', 'ipc'], ['ignore', 'pipe', 'pipe', 'ignore', 'ipc']],
    [['ignore', 'pipe', 'pipe', 3, 1], ['ignore', 'pipe', 'pipe', 'ignore', 'own stdout']],
    [[3, 'pipe', 'pipe', 'pipe', { fd: 3 }], ['ignore', 'pipe', 'pipe', 'pipe', 'ignore']],
  ])('given as %j holds neither the guest\'s output nor the channel', (given, expected) => {
    expect(claim(given)).toEqual(expected)
  })
})
