/**
 * Says that a test could not run here and why. The line appears among the last ones of `deno task test`, and the test
 * counts as skipped; the test itself returns right after.
 *
 * @example
 * ```ts ignore
 * if (chromium === undefined) return skipped("the widget in a browser", "no Chromium found");
 * ```
 */
export function skipped(what: string, why: string): void {
  const notes = Deno.env.get("TEST_NOTES");
  if (notes) Deno.writeTextFileSync(notes, `${what}: ${why}\n`, { append: true });
}
