const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Object
const { ownKeys } = Reflect
const root = Object.prototype

/** Gives an object its inherited methods as its own, so that it works on when a cell replaces those of the prototype. */
export function keepMethods<T extends object>(thing: T): T {
  for (let from = getPrototypeOf(thing) as object | null; from !== null && from !== root; from = getPrototypeOf(from) as object | null) {
    for (const key of ownKeys(from)) {
      const method = getOwnPropertyDescriptor(from, key)
      if (key !== 'constructor' && method !== undefined && getOwnPropertyDescriptor(thing, key) === undefined) defineProperty(thing, key, { ...method, enumerable: false })
    }
  }
  return thing
}
