import { createApiKeyText, hashApiKey } from '@pet-store/access'

/** The key of every request of this run. */
export const API_KEY = createApiKeyText()
export const API_KEY_SHA256 = hashApiKey(API_KEY)
