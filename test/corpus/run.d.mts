import type { CellResult } from '../../kernel/index.ts'

export interface CorpusError { readonly name: string; readonly message?: string; readonly line?: number; readonly column?: number; readonly frames?: readonly string[] }
export interface CorpusCell { readonly code: string; readonly value?: unknown; readonly shown?: string | null; readonly stdout?: string; readonly error?: CorpusError }
export interface CorpusCase { readonly id: string; readonly kind: string; readonly title: string; readonly cells: readonly CorpusCell[]; readonly alone?: boolean }
export function readCases(files?: readonly string[]): CorpusCase[]
export function problems(each: CorpusCase, results: readonly (CellResult | undefined)[], numbers?: readonly number[]): string[]
