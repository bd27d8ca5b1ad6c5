declare global {
  interface ImportMeta {
    /** In the guest's bundle: the copy of the compiler that the build put beside it. */
    readonly compiler?: string
  }
}

/** What the TypeScript compiler is required as: the copy that loads fastest where there is one, else the package. */
export const compilerName: string = import.meta.compiler ?? 'typescript'
