import { byId } from '../browser/elements.ts'

/**
 * Marks the section that is being read in the contents: the last one whose beginning has reached
 * the top of the window, to which a link would scroll it.
 */
export function markActiveLink(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.sidebar a')]
  const topOf = (link: HTMLAnchorElement) => byId(link.hash.slice(1)).getBoundingClientRect().top
  const mark = () => {
    const page = document.documentElement
    const start = Number.parseFloat(getComputedStyle(page).scrollPaddingTop) + 1
    const isEnd = scrollY + innerHeight >= page.scrollHeight - 1
    const active = isEnd
      ? links.at(-1)
      : (links.findLast((link) => topOf(link) <= start) ?? links[0])
    for (const link of links) link.ariaCurrent = link === active ? 'true' : null
  }
  addEventListener('scroll', mark, { passive: true })
  mark()
}
