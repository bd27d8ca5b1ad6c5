interface Task { readonly start: () => void; next: Task | null }

/** One task after the other: each says by `next()` that the following one may start. A list without arrays, whose methods cells can replace. */
export class Turns {
  private first: Task | null = null
  private last: Task | null = null
  private taken = false

  get busy(): boolean { return this.taken }

  enqueue(start: () => void): void {
    const task: Task = { start, next: null }
    if (this.last === null) this.first = task
    else this.last.next = task
    this.last = task
    if (!this.taken) this.next()
  }

  next(): void {
    const task = this.first
    this.taken = task !== null
    if (task === null) return
    this.first = task.next
    if (task.next === null) this.last = null
    task.start()
  }
}
