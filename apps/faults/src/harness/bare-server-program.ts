// A bare `node:http` server with the responses of the service from memory: what Node and the machine make of a load.
import { createServer } from 'node:http'

const LIST = JSON.stringify(Array.from({ length: 20 }, (_, id) => ({ id, name: `pet-${id}`, categoryId: id })))
let pets = 0

createServer((req, res) => {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    const [status, body] = req.method === 'POST' ? create(Buffer.concat(chunks).toString()) : ([200, LIST] as const)
    res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
    res.end(body)
  })
}).listen({ port: Number(process.env['PORT']), host: '127.0.0.1', backlog: 4_096 })

function create(text: string): readonly [number, string] {
  try {
    pets += 1
    return [201, JSON.stringify({ id: pets, ...(JSON.parse(text) as object) })]
  } catch {
    return [400, '{}']
  }
}
