/**
 * Lets a script of another process set the clock of that process: `offsetMs` is how far it is
 * ahead. `RightDate` is the class that is not set.
 */
export const SETTABLE_CLOCK = `
  const RightDate = Date
  let offsetMs = 0
  globalThis.Date = class extends RightDate {
    constructor(...given) {
      if (given.length > 0) super(...given)
      else super(RightDate.now() + offsetMs)
    }
    static now() {
      return RightDate.now() + offsetMs
    }
  }`
