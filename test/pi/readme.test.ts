import { expect, test } from 'vitest'
import { readmePart, shownPart } from '../e2e/harness/screens.ts'

test('README.md shows the screens as they were taken', () => {
  expect(shownPart()).toBe(readmePart())
})
