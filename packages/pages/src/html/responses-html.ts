import type { AddressedOperation } from './description.ts'
import { type Html, html } from './html.ts'
import { inlineCode } from './inline-code.ts'
import { tableHtml } from './tables-html.ts'
import { tabsHtml } from './tabs-html.ts'

/** The statuses of the responses that every operation has. */
const SHARED_STATUSES: readonly string[] = ['401', '403', '429', 'default']

/** The responses of an operation. Those that every operation has are folded. */
export function responsesHtml({ responses }: AddressedOperation): Html {
  const rows = Object.entries(responses).map(([status, { description }]) => ({
    status,
    cells: [html`<code>${nameOf(status)}</code>`, inlineCode(description)],
  }))
  const isShared = ({ status }: { readonly status: string }) => SHARED_STATUSES.includes(status)
  const tableOf = (some: typeof rows) =>
    tableHtml(
      ['Status', 'Meaning'],
      some.map(({ cells }) => cells),
    )
  const shared = rows.filter(isShared)
  const names = shared.map(({ status }) => nameOf(status)).join(', ')
  return html`${tableOf(rows.filter((row) => !isShared(row)))}
<details><summary>Errors of every operation: ${names}</summary>${tableOf(shared)}</details>`
}

/** An example of each response, in tabs. The script adds a tab with the response to a request. */
export function examplesHtml({ operationId, responses }: AddressedOperation): Html {
  const tabs = Object.entries(responses).flatMap(([status, { content }]) => {
    const example = content?.['application/json']?.example
    const text = JSON.stringify(example, null, 2)
    const name = nameOf(status)
    return example === undefined ? [] : [{ name, label: name, data: html`data-lang="json"`, text }]
  })
  return tabsHtml(`${operationId}-response`, 'Responses', tabs)
}

function nameOf(status: string): string {
  return status === 'default' ? 'others' : status
}
