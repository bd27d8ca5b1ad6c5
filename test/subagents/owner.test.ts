import { expect, test } from 'vitest'
import { bench } from './support/fake-host.ts'
import { record, self } from './support/records.ts'
import { pause } from '../support/engine.ts'

/** Another instance of this process looks after it; its process has exited and its last record is not written yet. */
const exiting = record({ id: 'c-1', name: 'exiting', status: 'running', owner: self, process: { ...self, pid: 2 ** 22 - 3, start: '1' } })
const completed = record({ id: 'c-1', name: 'exiting', finished_at: 2, output_bytes: 1 })

test('a wait for another instance\'s child goes on from its exit to its last record', async () => {
  await using kids = bench()
  kids.family.folder.prepare()
  kids.family.folder.write(exiting)
  expect(kids.family.find('exiting').status).toBe('lost')
  const waited = kids.family.wait(['exiting'], false, 0, new AbortController().signal)
  await pause(400)
  kids.family.folder.write(completed)
  expect((await waited)[0]?.status).toBe('completed')
})

test('a delete between the exit and the last record keeps that record', async () => {
  await using kids = bench()
  kids.family.folder.prepare()
  kids.family.folder.write(exiting)
  const removed = kids.family.remove('exiting')
  await pause(400)
  kids.family.folder.write(completed)
  expect((await removed).record).toMatchObject({ status: 'completed', output_bytes: 1, deleted_at: expect.any(Number) as number })
})
