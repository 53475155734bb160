/** Returns a language with the region that the browser prefers: its dates and numbers look as the member expects. */
export function localeOf(language: string): string {
  return navigator.languages.find((each) => each.split("-")[0] === language) ?? language;
}
