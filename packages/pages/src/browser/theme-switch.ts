import { byId } from './elements.ts'
import { chooseNextTheme, chosenTheme, type Theme } from './theme-choice.ts'

const SIGNS: Readonly<Record<Theme, string>> = { system: '◐', light: '☀', dark: '☾' }

/** Makes the button work that changes the theme: the colours of the system, light or dark. */
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
