// Where no public address is configured, only the browser knows under which one the service is reached.
const address = document.querySelector('#address')
if (!URL.canParse(address.textContent)) address.textContent = new URL('v1', location.href).href
