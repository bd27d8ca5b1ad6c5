import { readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { CellResult } from '../../kernel/index.ts'
import { type FileCell, splitCells } from './cells.ts'
import type { Arguments } from './flags.ts'
import { type Io, write } from './io.ts'
import { misuse } from './misuse.ts'
import { type Notebook, withNotebook } from './notebook.ts'
import { plain } from './plain.ts'
import { type Places } from './render.ts'
import { showCell } from './show.ts'

interface Program { readonly name: string; readonly cells: readonly FileCell[] }

/** Runs files cell by cell in one notebook, up to the first cell that fails. */
export async function run(args: Arguments, io: Io): Promise<number> {
  if (args.positionals.length === 0) throw misuse('run needs a file: pi-rlm run FILE…')
  // Every file is read before the first cell runs: a wrong name is told at once, not half way.
  const programs = args.positionals.map(name => readProgram(name, io.cwd))
  return withNotebook(args, io, io.stderr.isTTY || io.stdin.isTTY, async notebook => {
    await notebook.supervisor.start()
    for (const program of programs) {
      for (const [index, cell] of program.cells.entries()) {
        const result = await runCell(notebook, io, program.name, cell, args.has('json'))
        if (notebook.ending.aborted) return 1
        if (result.status === 'ok') continue
        await write(io.stderr, plain(`pi-rlm: cell ${index + 1} of ${program.cells.length} in ${program.name} failed (line ${cell.line}${cell.title === '' ? '' : `, ${cell.title}`}).\n`))
        return 1
      }
    }
    return 0
  })
}

function runCell(notebook: Notebook, io: Io, name: string, cell: FileCell, json: boolean): Promise<CellResult> {
  return showCell(notebook, io, {
    code: cell.code, places: inFile(name, notebook),
    json: json ? { file: name, line: cell.line } : null,
    options: { cellId: `${name}:${cell.line}` },
  })
}

/** Lines of this cell are told as lines of its file: its text is as long as the file up to its end. */
function inFile(name: string, { supervisor }: Notebook): Places {
  const before = supervisor.current?.cellCount ?? 0
  const own = new RegExp(`\\bcell ${before + 1}:(\\d+)`)
  return line => line.replace(own, (_, at: string) => `${basename(name)}:${at}`)
}

function readProgram(name: string, cwd: string): Program {
  let bytes: Buffer
  try {
    bytes = readFileSync(name === '-' ? 0 : resolve(cwd, name))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw misuse(`cannot read '${name}': ${code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : message}`, cause)
  }
  try {
    return { name, cells: splitCells(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) }
  } catch (cause) {
    throw misuse(`cannot read '${name}': it is not text in UTF-8`, cause)
  }
}
