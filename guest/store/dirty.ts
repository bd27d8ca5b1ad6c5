/** Which names have to be saved again, and which of them together because they share objects. */
import { type Box, type Namespace, UNSET } from '../namespace.ts'
import type { NameChanges } from '../protocol.ts'
import { kindOf } from './kind.ts'
import type { Origin, Origins } from './origins.ts'
import { SafeMap, SafeSet, SafeWeakMap } from './safe.ts'
import { BIT, blank, type Survey, survey } from './survey.ts'
import { Watch } from './watch.ts'

/** Names to be saved as one value. */
export interface Group {
  readonly names: readonly string[]
  readonly values: readonly unknown[]
  readonly seen: Survey
  /** The cell that used any of them last. */
  readonly cell: number
  /** Where the value of a single name is imported from: then that is what is saved. */
  readonly origin?: Origin
}

/** What one save has to do. */
export interface Work {
  readonly groups: readonly Group[]
  /** Names without a value any more. */
  readonly gone: readonly string[]
}

/** Says which name reached an object in which walk. */
interface Label { readonly name: string; readonly walk: number }

const OPAQUE = BIT.function | BIT.opaque | BIT.instance | BIT.accessor

export class Dirty {
  private readonly namespace: Namespace
  /** Touched since the last save took them, with the cell that did so last. */
  private touched = new SafeMap<Box, number>()
  /** Touched since the last cell began: their boxes tell no further touch. */
  private hot: Box[] = []
  private cells = 0
  private labels = new SafeWeakMap<object, Label>()
  /** The last walk of each name; labels of earlier ones are out of date. */
  private readonly walks = new SafeMap<string, number>()
  private readonly groups = new SafeMap<string, readonly string[]>()
  /** The cell that used each name last. */
  private readonly lastUse = new SafeMap<string, number>()
  private walk = 0
  private readonly watch: Watch
  private readonly origins: Pick<Origins, 'of'>

  constructor(namespace: Namespace, origins: Pick<Origins, 'of'>, clean?: <T>(work: () => T) => T) {
    this.namespace = namespace
    this.origins = origins
    this.watch = new Watch(namespace, clean)
  }

  touch(box: Box): void {
    this.touched.set(box, this.cells)
    this.hot[this.hot.length] = box
    this.watch.ran()
  }

  /** A new cell begins: touches are told anew, so that it is known how long a name was left alone. */
  cell(number: number): void {
    this.namespace.look()
    this.watch.begin()
    this.cells = number
    for (let i = 0; i < this.hot.length; i++) (this.hot[i] as Box).touched = 0
    this.hot = []
  }

  /** The cell is over. */
  cellEnded(): void { this.watch.end() }

  /** Counts names as touched. */
  again(names: readonly string[]): void { for (const name of names) this.touched.set(this.namespace.box(name), this.cells) }

  /** Puts back what a failed save had taken. */
  failed({ groups, gone }: Work): void {
    for (const { names } of groups) this.again(names)
    this.again(gone)
    this.watch.failed()
  }

  /** Names restored as one value belong together until they are walked again. */
  together(names: readonly string[]): void { if (names.length > 1) for (const name of names) this.groups.set(name, names) }

  get any(): boolean { return this.touched.size > 0 }

  /** Takes what was touched. */
  take(): Work {
    this.namespace.look()
    const dirty = new SafeSet<string>()
    const gone: string[] = []
    for (const [box, cell] of this.touched) {
      box.touched = 0
      if (box.owned) continue
      if (box.bound) dirty.add(box.name)
      else if (box.unread === null) gone.push(box.name)
      this.lastUse.set(box.name, cell)
    }
    this.touched = new SafeMap()
    this.hot = []
    for (const name of gone) {
      for (const other of this.groups.get(name) ?? []) if (other !== name) dirty.add(other)
      this.leave(name)
    }
    const groups = this.walkAll(dirty)
    const before = dirty.size
    for (const name of this.watch.changed(dirty, groups.some(({ seen }) => (seen.kinds & OPAQUE) !== 0))) dirty.add(name)
    return { groups: dirty.size > before ? this.walkAll(dirty) : groups, gone }
  }

  private leave(name: string): void {
    this.walks.delete(name)
    this.groups.delete(name)
    this.watch.drop(name)
    this.lastUse.delete(name)
  }

  /** Walks names and, with them, all that share objects with them. */
  private walkAll(dirty: SafeSet<string>): Group[] {
    this.walk += 1
    const leaders = new SafeMap<string, string>()
    const surveys = new SafeMap<string, Survey>()
    const imported: Group[] = []
    // A set grows while it is walked: names found to share objects are walked in the same round.
    for (const name of dirty) {
      for (const other of this.groups.get(name) ?? []) dirty.add(other)
      const box = this.namespace.box(name)
      if (box.unread !== null || box.value === UNSET) continue
      this.watch.drop(name)
      const origin = this.importOf(name, box.value)
      if (origin !== undefined) {
        imported.push({ names: [name], values: [box.value], seen: blank(), cell: this.lastUse.get(name) ?? this.cells, origin })
        this.groups.delete(name)
        this.walks.delete(name)
        continue
      }
      surveys.set(name, this.look(name, box.value, dirty, leaders))
      this.walks.set(name, this.walk)
    }
    return [...this.partition(surveys, leaders), ...imported]
  }

  /** Where a value is imported from that saving would lose something of; plain data is saved as it is. */
  private importOf(name: string, value: unknown): Origin | undefined {
    const origin = this.origins.of(value, name)
    if (origin === undefined || origin.name === null || typeof value === 'function') return origin
    const seen = blank()
    const met = new SafeSet<object>()
    survey(value, seen, object => !met.has(object) && met.add(object) === met)
    return (seen.kinds & OPAQUE) !== 0 ? origin : undefined
  }

  private look(name: string, value: unknown, dirty: SafeSet<string>, leaders: SafeMap<string, string>): Survey {
    const { walk, labels, walks } = this
    const label: Label = { name, walk }
    const seen = blank()
    survey(value, seen, object => {
      const known = labels.get(object)
      if (known !== undefined) {
        if (known.walk === walk) {
          if (known.name !== name && kindOf(object) !== 'opaque') join(leaders, name, known.name)
          return false
        }
        if (known.name !== name && walks.get(known.name) === known.walk) dirty.add(known.name)
      }
      labels.set(object, label)
      return true
    })
    return seen
  }

  private partition(surveys: SafeMap<string, Survey>, leaders: SafeMap<string, string>): Group[] {
    const members = new SafeMap<string, string[]>()
    for (const [name] of surveys) {
      const leader = find(leaders, name)
      const list = members.get(leader)
      if (list === undefined) members.set(leader, [name])
      else list.push(name)
    }
    const groups: Group[] = []
    for (const [, names] of members) {
      const seen = blank()
      for (const name of names) {
        add(seen, surveys.get(name) as Survey)
        if (names.length > 1) this.groups.set(name, names)
        else this.groups.delete(name)
      }
      groups.push({ names, seen, cell: Math.max(...names.map(name => this.lastUse.get(name) ?? this.cells)), values: names.map(name => this.namespace.box(name).value) })
    }
    return groups
  }

  /** Watches what is about to be written; before any other code runs. Answers which saved names may be older than the live ones. */
  watchOver(groups: readonly Group[]): NameChanges {
    for (const { names, values, seen } of groups) names.forEach((name, part) => { this.watch.take(name, values[part], seen) })
    return this.watch.taken()
  }

  /** After a save: looks on at what that did not get to. */
  lookOn(): void { this.watch.lookOn() }

  close(): void { this.watch.stop() }
}

function find(leaders: SafeMap<string, string>, name: string): string {
  let at = name
  for (let next = leaders.get(at); next !== undefined; next = leaders.get(at)) at = next
  return at
}

function join(leaders: SafeMap<string, string>, a: string, b: string): void {
  const [first, second] = [find(leaders, a), find(leaders, b)]
  if (first !== second) leaders.set(first, second)
}

function add(to: Survey, from: Survey): void {
  to.kinds |= from.kinds
  to.objects += from.objects
  to.bytes += from.bytes
  to.depth = Math.max(to.depth, from.depth)
}
