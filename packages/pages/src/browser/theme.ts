// Sets the chosen colours. Loaded before anything is drawn, so that the page does not flash.
import { chosenTheme, showTheme } from './theme-choice.ts'

showTheme(chosenTheme())
