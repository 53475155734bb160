/**
 * The arguments by which Deno takes the packages of the tests, beside those of the service: `deno task` downloads all that
 * deno.lock names, so that one is without them.
 */
export const TEST_PACKAGES: readonly string[] = [
  "--import-map=tests/import_map.json",
  "--lock=tests/deno.lock",
];
