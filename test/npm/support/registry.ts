import { createHash } from 'node:crypto'
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pack } from './tarball.ts'

/** What goes wrong with a request; `undefined` answers it properly. */
export type Fault = 'silent' | 'drip' | 'bad-hash' | 'truncated' | 'drop' | number
interface Release { readonly manifest: Readonly<Record<string, unknown>>; readonly tarball: Buffer }
/** A package's files; `package.json` is made from `manifest`. */
export interface Published { readonly manifest?: Readonly<Record<string, unknown>>; readonly files?: Readonly<Record<string, string | undefined>> }

/** A registry on 127.0.0.1 that serves what the test published, and misbehaves on request. */
export class StubRegistry {
  /** Every request seen, as `METHOD path`. */
  readonly requests: string[] = []
  /** The authorization header of every request. */
  readonly authorizations: (string | undefined)[] = []
  /** Decides what goes wrong with a request. */
  fault: (path: string) => Fault | undefined = () => undefined
  private readonly packages = new Map<string, { readonly releases: Map<string, Release>; tags: Record<string, string> }>()
  private readonly server: Server = createServer((request, response) => this.answer(request, response))

  static async open(): Promise<StubRegistry> {
    const registry = new StubRegistry()
    await new Promise<void>(resolve => registry.server.listen(0, '127.0.0.1', resolve))
    registry.url = `http://127.0.0.1:${(registry.server.address() as AddressInfo).port}/`
    return registry
  }

  /** Stays the same after `close`. */
  url = ''

  /** Publishes a version and moves `latest` to it. */
  publish(name: string, version: string, { manifest = {}, files = {} }: Published = {}): this {
    const full = { name, version, ...manifest }
    const source = { 'index.js': `export const version = '${version}'\n`, ...files }
    const json = { type: 'module', exports: { '.': './index.js', './*.json': './*.json', './*': './*.js' }, ...full }
    const known = this.packages.get(name) ?? { releases: new Map<string, Release>(), tags: {} }
    known.releases.set(version, { manifest: full, tarball: pack({ 'package.json': JSON.stringify(json), ...source }) })
    known.tags['latest'] = version
    this.packages.set(name, known)
    return this
  }

  tag(name: string, tag: string, version: string): void {
    const known = this.packages.get(name)
    if (known) known.tags = { ...known.tags, [tag]: version }
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise(resolve => this.server.close(resolve))
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = decodeURIComponent(new URL(request.url ?? '/', this.url).pathname).slice(1)
    this.requests.push(`${request.method ?? ''} ${path}`)
    this.authorizations.push(request.headers.authorization)
    const fault = this.fault(path)
    if (fault === 'silent') return
    if (fault === 'drop') { request.socket.destroy(); return }
    if (typeof fault === 'number') { response.writeHead(fault, { 'content-type': 'application/json' }).end('{"error":"stub"}'); return }
    const [name = '', file] = path.split('/-/')
    const known = this.packages.get(name)
    if (known === undefined) { response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Not found"}'); return }
    if (file === undefined) send(response, Buffer.from(JSON.stringify(this.packument(name, fault))), 'application/json', fault)
    else send(response, known.releases.get(file)?.tarball ?? Buffer.alloc(0), 'application/octet-stream', fault)
  }

  private packument(name: string, fault: Fault | undefined): unknown {
    const known = this.packages.get(name)
    const versions: Record<string, unknown> = {}
    for (const [version, { manifest, tarball }] of known?.releases ?? []) {
      const digest = createHash('sha512').update(fault === 'bad-hash' ? 'something else' : tarball).digest('base64')
      versions[version] = { ...manifest, dist: { tarball: `${this.url}${name}/-/${version}`, integrity: `sha512-${digest}` } }
    }
    return { name, 'dist-tags': known?.tags, versions }
  }
}

function send(response: ServerResponse, body: Buffer, type: string, fault: Fault | undefined): void {
  response.writeHead(200, { 'content-type': type, 'content-length': body.length })
  if (fault === 'truncated') { response.write(body.subarray(0, body.length >> 1)); setTimeout(() => response.destroy(), 20).unref(); return }
  if (fault !== 'drip') { response.end(body); return }
  let sent = 0
  const drip = setInterval(() => { response.write(body.subarray(sent, ++sent)) }, 1000)
  response.on('close', () => clearInterval(drip))
}
