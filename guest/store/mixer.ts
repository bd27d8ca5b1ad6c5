import { apply } from './safe.ts'

const { imul, min } = Math
const { charCodeAt } = String.prototype
const floats = new Float64Array(1)
const halves = new Int32Array(floats.buffer)

/**
 * A running hash of words. Each step can be undone, so a change of one word always gives another hash; two lanes of 32
 * bits make it unlikely that several changes cancel out. It guards against code that forgot to say, not against forgery.
 */
export class Mixer {
  /** Words taken since somebody set it back. */
  steps = 0
  private a = 0x2f0b4c47
  private b = 0x51e7a3d9

  word(word: number): void {
    let { a, b } = this
    a = imul(a ^ word, 0xcc9e2d51)
    a = imul(a << 13 | a >>> 19, 5) + 0x6b64e654 | 0
    b = imul(b + word | 0, 0x1b873593)
    b = imul(b << 17 | b >>> 15, 9) + 0x38495ab5 | 0
    this.a = a
    this.b = b
    this.steps++
  }

  number(number: number): void {
    // One NaN is as good as another.
    floats[0] = number !== number ? NaN : number
    this.word(halves[0] as number)
    this.word(halves[1] as number ^ 0x5bd1e995)
  }

  text(text: string, from: number, to: number): void {
    let { a, b } = this
    const end = min(to, text.length)
    for (let i = from; i < end; i++) {
      const unit = apply(charCodeAt, text, [i]) as number
      a = imul(a ^ unit, 0xcc9e2d51)
      a = a << 13 | a >>> 19
      b = imul(b + unit | 0, 0x1b873593)
      b = b << 17 | b >>> 15
    }
    this.a = a
    this.b = b
    this.steps += 1 + (end - from >> 2)
  }

  words(words: Int32Array, from: number, to: number): void {
    let { a, b } = this
    const end = min(to, words.length)
    for (let i = from; i < end; i++) {
      const word = words[i] as number
      a = imul(a ^ word, 0xcc9e2d51)
      a = (a << 13 | a >>> 19) + 0x6b64e654 | 0
      b = imul(b + word | 0, 0x1b873593)
      b = (b << 17 | b >>> 15) + 0x38495ab5 | 0
    }
    this.a = a
    this.b = b
  }

  digest(): string { return `${this.a}.${this.b}` }
}
