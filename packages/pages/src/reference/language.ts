// The language of the samples, chosen once for all operations. A browser can forbid to keep it.
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
    // Then it holds for this page.
  }
}
