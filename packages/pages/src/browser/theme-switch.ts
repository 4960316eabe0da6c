import { byId } from './elements.ts'
import { chooseNextTheme, chosenTheme, type Theme } from './theme-choice.ts'

const SIGNS: Readonly<Record<Theme, string>> = { system: '◐', light: '☀', dark: '☾' }

/** Makes the button work that changes the colours of the page: those of the system, light, dark. */
export function setUpThemeSwitch(): void {
  const button = byId('theme')
  let theme = chosenTheme()
  const label = () => {
    button.textContent = SIGNS[theme]
    button.ariaLabel = `Colours: ${theme}`
    button.title = `Colours: ${theme}`
  }
  button.addEventListener('click', () => {
    theme = chooseNextTheme(theme)
    label()
  })
  button.hidden = false
  label()
}
