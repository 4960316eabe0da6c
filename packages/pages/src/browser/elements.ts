type Type<T extends HTMLElement> = abstract new () => T

/** The element with this id. Throws if the page has none of this type. */
export function byId(id: string): HTMLElement
export function byId<T extends HTMLElement>(id: string, type: Type<T>): T
export function byId(id: string, type: Type<HTMLElement> = HTMLElement): HTMLElement {
  return assertElement(document.getElementById(id), type, `#${id}`)
}

/** The first element below `root` that the selector finds. Throws if there is none of this type. */
export function find(root: ParentNode, selector: string): HTMLElement
export function find<T extends HTMLElement>(root: ParentNode, selector: string, type: Type<T>): T
export function find(
  root: ParentNode,
  selector: string,
  type: Type<HTMLElement> = HTMLElement,
): HTMLElement {
  return assertElement(root.querySelector(selector), type, selector)
}

function assertElement<T extends HTMLElement>(
  element: Element | null,
  type: Type<T>,
  name: string,
): T {
  if (element instanceof type) return element
  throw new TypeError(`The page has no ${type.name} ${name}.`)
}

/** A new element with these properties and this content. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...content)
  return element
}
