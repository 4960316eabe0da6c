import { serveBare } from '../bare/http.ts'
import { dataPage, dataPet } from '../requests/data-set.ts'

/** A contestant without a database, which computes the data set, and in one thing does not do the work. */
const [, , lie, size] = process.argv
const count = Number(size)
let last = count
let gets = 0

serveBare({
  list: (limit) => dataPage(count, limit),
  listAfter: (after, limit) => dataPage(count, limit, { after }),
  listWithStatus: (status, limit) => dataPage(count, limit, { status }),
  get(id) {
    if (id > count) return undefined
    const pet = dataPet(id, count)
    gets += 1
    // Later: under load, when only the status and the length of a response are compared.
    const isWrong = (lie === 'wrong-name' && id > 500) || (lie === 'wrong-later' && gets > 200)
    return isWrong ? { ...pet, name: `${pet.name} ` } : pet
  },
  // Nothing is stored, whatever the lie.
  add(name, categoryId, status) {
    last += 1
    return { id: last, name, categoryId, status }
  },
})
