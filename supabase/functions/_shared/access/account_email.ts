/**
 * The one spelling of an e-mail under which the auth server looks up an account.
 *
 * Supabase Auth lowers each character by itself (Go's `strings.ToLower`). JavaScript lowers `İ` to two characters and a
 * final `Σ` by its neighbours. What counts log-ins must not take two spellings of one account for two accounts.
 */
export function accountEmail(email: string): string {
  return Array.from(email, (character) => character === "İ" ? "i" : character.toLowerCase()).join("");
}
