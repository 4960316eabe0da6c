/** One link: its target, and its parameters up to the comma before the next link (RFC 8288, section 3). */
const LINK = /<([^>]*)>((?:[^,"]|"(?:[^"\\]|\\.)*")*)/g
const REL = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i

/** The target of the first link with this relation, as it was written; `undefined` where there is none. */
export function linkTarget(header: string, relation: string): string | undefined {
  for (const [, target, parameters = ''] of header.matchAll(LINK)) {
    const [, quoted, bare = ''] = REL.exec(parameters) ?? []
    // Several relations may share one link, and they are compared without regard to case.
    if ((quoted ?? bare).toLowerCase().split(/\s+/).includes(relation)) return target
  }
  return undefined
}
