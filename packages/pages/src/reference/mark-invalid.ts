import { bodyProblem, problemOf } from './field-problem.ts'

/**
 * Marks the first invalid field of a form, moves the focus there, and says in `message` what is
 * wrong. Returns whether all fields are valid.
 */
export function markInvalid(form: HTMLFormElement, message: HTMLElement): boolean {
  message.textContent = ''
  const inputs = [...form.querySelectorAll<HTMLInputElement>('[data-in], textarea')]
  for (const input of inputs) input.ariaInvalid = 'false'
  for (const input of inputs) {
    const { name = '', type = '', min, max } = input.dataset
    const problem =
      input.localName === 'textarea'
        ? bodyProblem(input.value)
        : problemOf({
            name,
            type,
            min,
            max,
            value: input.value.trim(),
            isRequired: input.required,
          })
    if (problem === undefined) continue
    message.textContent = problem
    input.ariaInvalid = 'true'
    input.focus()
    return false
  }
  return true
}
