// Fills the reference page from the description that this service gives of itself.
const place = document.querySelector('#reference')

try {
  const answer = await fetch(new URL('openapi.json', location.href))
  if (!answer.ok) throw new Error(`the service answered ${answer.status}`)
  show(await answer.json())
} catch (error) {
  place.textContent = `The description could not be loaded: ${error.message}. Reload the page to try again.`
}

function show(description) {
  // Behind a path prefix only this page knows the whole address, so requests go where the page came from.
  const spec = { ...description, servers: [{ url: new URL('v1', location.href).href }] }
  const ui = globalThis.SwaggerUIBundle({
    spec,
    domNode: place,
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    // The default sends the description to a validator on another host.
    validatorUrl: null,
    onComplete: authorize,
  })

  function authorize() {
    const key = document.body.dataset.developmentKey
    if (key === '') return
    ui.preauthorizeApiKey('bearerAuth', key)
    document.querySelector('#key-note').hidden = true
    document.querySelector('#development-note').hidden = false
  }
}
