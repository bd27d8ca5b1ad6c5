import { MARK, cleanMessage } from './private-names.ts'

const { includes } = String.prototype
const { apply } = Reflect

/** Shows functions of cells as their author wrote them: their text may go to a worker, a page or a file. Once, before the first cell. */
export function showWrittenText(): void {
  const shown = new Proxy(Function.prototype.toString, {
    apply(target, self, args) {
      const text = apply(target, self, args) as string
      return apply(includes, text, [MARK]) ? cleanMessage(text) : text
    },
  })
  Object.defineProperty(Function.prototype, 'toString', { value: shown, writable: true, configurable: true })
}
