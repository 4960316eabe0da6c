// What Swagger UI lacks for this service, as one of its plugins.

/** The plugin for a description. Components get React and the rest of Swagger UI as `system`. */
export function pluginFor(spec) {
  return () => ({
    wrapComponents: {
      // There is one server, the one that the page came from.
      ServersContainer: () => () => null,
      // A link inside the button that opens an operation cannot be reached; the table of contents has the links.
      DeepLink:
        (_Original, { React }) =>
        ({ children, text }) =>
          React.createElement('span', null, children ?? text),
      responseBody: exactBody,
      response: foldedErrors,
      liveResponse: withNextPage,
      responses: (Original, system) => withSamples(Original, system, spec),
    },
  })
}

/** Shows JSON as it was received: parsing it would round integers beyond 2^53. */
function exactBody(Original, { React }) {
  return (props) => {
    if (typeof props.content !== 'string' || !/json/i.test(props.contentType ?? '')) {
      return React.createElement(Original, props)
    }
    return React.createElement(Original, { ...props, content: indentJson(props.content), contentType: 'text/plain' })
  }
}

/** Indents JSON text without changing a token. */
export function indentJson(text) {
  let depth = 0
  let result = ''
  const line = () => `\n${'  '.repeat(depth)}`
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g) ?? []
  for (const [index, token] of tokens.entries()) {
    const isEmpty = (token === '[' && tokens[index + 1] === ']') || (token === '{' && tokens[index + 1] === '}')
    if (token === '[' || token === '{') {
      depth += 1
      result += isEmpty ? token : token + line()
    } else if (token === ']' || token === '}') {
      depth -= 1
      const wasEmpty = tokens[index - 1] === '[' || tokens[index - 1] === '{'
      result += wasEmpty ? token : line() + token
    } else if (token === ',') result += `,${line()}`
    else result += token === ':' ? ': ' : token
  }
  return result
}

/** Shows the possible error responses as one line each, which a press opens. */
function foldedErrors(Original, { React }) {
  return (props) => {
    const [isOpen, setOpen] = React.useState(false)
    if (isOpen || /^2/.test(props.code)) return React.createElement(Original, props)
    const description = props.response?.get?.('description') ?? ''
    return React.createElement(
      'tr',
      { className: 'response' },
      React.createElement('td', { className: 'response-col_status' }, props.code),
      React.createElement(
        'td',
        { className: 'response-col_description' },
        React.createElement(
          'button',
          { type: 'button', className: 'unfold', 'aria-expanded': false, onClick: () => setOpen(true) },
          description.replaceAll('`', ''),
        ),
      ),
    )
  }
}

/** Adds a button to a page of a list that has a `Link` to the next one. */
function withNextPage(Original, system) {
  const { React, specSelectors, specActions } = system
  return (props) => {
    const { response, path, method } = props
    const link = response?.get('headers')?.link ?? response?.getIn?.(['headers', 'link'])
    const cursor = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(link ?? '')?.[1]
    const original = React.createElement(Original, props)
    if (cursor === undefined) return original
    function showNext(event) {
      const parameters = specSelectors.specResolvedSubtree(['paths', path, method]).get('parameters')
      const parameter = parameters.find((each) => each.get('name') === 'cursor')
      specActions.changeParamByIdentity([path, method], parameter, cursor)
      const block = event.currentTarget.closest('.opblock')
      // After the state of the form has changed.
      setTimeout(() => block.querySelector('.execute').click())
    }
    const button = React.createElement(
      'button',
      { type: 'button', className: 'btn next-page', onClick: showNext },
      'Next page',
    )
    return React.createElement('div', null, original, button)
  }
}

/** Shows the code samples of the description (`x-codeSamples`) above the responses. */
function withSamples(Original, { React }, spec) {
  return (props) => {
    const samples = spec.paths[props.path]?.[props.method]?.['x-codeSamples'] ?? []
    const [language, setLanguage] = React.useState(samples[0]?.lang)
    const original = React.createElement(Original, props)
    if (samples.length === 0) return original
    const { source } = samples.find(({ lang }) => lang === language)
    return React.createElement(
      'div',
      null,
      React.createElement(
        'div',
        { className: 'samples' },
        React.createElement(
          'label',
          null,
          'Code sample ',
          React.createElement(
            'select',
            { value: language, onChange: (event) => setLanguage(event.target.value) },
            samples.map(({ lang, label = lang }) => React.createElement('option', { key: lang, value: lang }, label)),
          ),
        ),
        React.createElement('pre', { tabIndex: 0 }, React.createElement('code', null, source)),
      ),
      original,
    )
  }
}
