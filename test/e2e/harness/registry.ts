import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'

/** A registry on 127.0.0.1 that has one package more than the machine's own, to which it sends on all other requests. */
export interface Registry { readonly url: string; close(): Promise<void> }

export async function registryWith(tarball: string, manifest: { readonly name: string; readonly version: string }, others: string): Promise<Registry> {
  const { name, version } = manifest
  const file = `/${name}/-/${basename(tarball)}`
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    if (path === file) response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(readFileSync(tarball))
    else if (path.split('?')[0] === `/${name}`) response.writeHead(200, { 'content-type': 'application/json' }).end(packument())
    else response.writeHead(302, { location: new URL(path.slice(1), others).href }).end()
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const packument = (): string => {
    const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`
    return JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist: { tarball: url + file, integrity } } } })
  }
  return {
    url,
    async close() {
      const closed = new Promise(done => server.close(done))
      server.closeAllConnections()
      await closed
    },
  }
}
