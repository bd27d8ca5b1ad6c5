// C0 but tab and newline, DEL and C1, and the marks that turn the direction of text around.
const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Text of a cell as a person may see it: control characters are shown, so that none reaches a terminal. */
export const plain = (text: string): string => text.replace(/\r+(?=\n)/g, '').replace(CONTROL, picture)

function picture(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}
