// The least that fills a database with the data set, or writes it to a file: the database's own rate.
import { dumpSqlite, fillSqlite } from '../servers/sqlite-file.ts'

const file = (process.env['DATABASE_URL'] ?? '').slice('sqlite:'.length)
const [task, ...args] = process.argv.slice(2)
if (task === 'load') fillSqlite(file, Number(args[0]), Number(args[1]))
else dumpSqlite(file, args[0] ?? '')
