// The chosen language of the samples, for all operations. A browser may keep nothing.
const NAME = 'pet-store-language'

export function keptLanguage(): string {
  try {
    return localStorage.getItem(NAME) ?? ''
  } catch {
    return ''
  }
}

export function keepLanguage(language: string): void {
  try {
    localStorage.setItem(NAME, language)
  } catch {
    // It is lost with this page.
  }
}
