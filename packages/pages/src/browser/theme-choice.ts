const NAME = 'pet-store-theme'
const THEMES = ['system', 'light', 'dark'] as const

export type Theme = (typeof THEMES)[number]

/** The theme that was chosen in this browser; `system` if none was, or the browser keeps none. */
export function chosenTheme(): Theme {
  try {
    const kept = localStorage.getItem(NAME)
    return THEMES.find((theme) => theme === kept) ?? 'system'
  } catch {
    return 'system'
  }
}

export function showTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme
}

/** Shows the theme that follows this one, and keeps it. */
export function chooseNextTheme(theme: Theme): Theme {
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  try {
    localStorage.setItem(NAME, next)
  } catch {
    // The browser keeps nothing, so the choice is lost with this page.
  }
  showTheme(next)
  return next
}
