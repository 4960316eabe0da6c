// The colours that somebody has chosen; loaded before anything is drawn, so that nothing flashes.
import { chosenTheme, showTheme } from './theme-choice.ts'

showTheme(chosenTheme())
