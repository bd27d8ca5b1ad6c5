const HIDDEN = '‹hidden›'

/** Tokens that issuers mark by a prefix, and keys in PEM form. */
const TOKENS = new RegExp([
  'sk-[\\w-]{16,}', 'sk_(?:live|test)_\\w{8,}', 'gh[opsur]_\\w{16,}', 'github_pat_\\w{16,}', 'glpat-[\\w-]{12,}', 'xox[abeprs]-[\\w-]{8,}',
  'A(?:KI|SI)A[A-Z0-9]{12,}', 'AIza[\\w-]{20,}', 'npm_\\w{20,}', 'hf_\\w{16,}', 'ya29\\.[\\w-]{10,}',
  'eyJ[\\w-]{8,}\\.[\\w-]+(?:\\.[\\w-]*)?', '-----BEGIN [A-Z ]*KEY-----[\\s\\S]*?(?:-----END [A-Z ]*KEY-----|$)',
].map(source => `(?:${source})`).join('|'), 'g')

const NAMES = '(?:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret|credentials?)'
/** `password: "…"`, `API_KEY=…`, `--token …`: the name stays, the value goes. */
const ASSIGNED = new RegExp(`([\\w-]*${NAMES}['"\`]?\\s*(?:[:=]|=>)\\s*|--[\\w-]*${NAMES}[ =])(?:(['"\`])([^'"\`]{4,})\\2|([^\\s,;&'"\`]{4,}))`, 'gi')
const AUTHORIZATION = /\b(Bearer|Basic)\s+[\w.+/=~-]{8,}/g
const IN_ADDRESS = /(:\/\/[^\s/:@]*:)[^\s/@]+(@)/g
const DATA_URL = /data:([\w/+.-]*);base64,[\w+/=]*/g
const BLOB = /[A-Za-z0-9+/_=-]{64,}/g

/** A preview without what nobody should read over a shoulder: secrets, and blobs that say nothing. */
export function redact(text: string): string {
  return text
    .replace(TOKENS, HIDDEN)
    .replace(AUTHORIZATION, (_, scheme: string) => `${scheme} ${HIDDEN}`)
    .replace(IN_ADDRESS, (_, head: string, tail: string) => head + HIDDEN + tail)
    .replace(DATA_URL, (all, type: string) => `data:${type} ‹${all.length} characters›`)
    .replace(ASSIGNED, (all: string, name: string, quote: string | undefined, quoted: string | undefined, bare: string) =>
      quoted === undefined ? (isCode(bare) ? all : name + HIDDEN) : name + (quote ?? '') + HIDDEN + (quote ?? ''))
    .replace(BLOB, run => isBlob(run) ? `‹${run.length} characters›` : run)
}

/** `token: process.env.TOKEN` reveals nothing. */
const isCode = (value: string): boolean => value.startsWith(HIDDEN) || /^(?:process\.|await\b|[A-Za-z_$][\w$]*[.([])/.test(value)

/** Paths and names are long, too, but not at random. */
const isBlob = (run: string): boolean => /^[0-9a-f]+$/i.test(run) || (/\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run) && !/(?:^|\/)[a-z][a-z-]*(?:\/[a-z_-]+)+/.test(run))
