/** Resources of a company are named as if they stood alone. */
const PREFIX = /^\/manage(\/companies\/\{company_id\})?(?=\/[^{])/;

/**
 * Names the command of an operation: the resource is the first part of its path, the verb its `operationId` without the
 * words that name the resource. `listCampaignRecipients` is `campaigns list-recipients`. Words of the rest of the path stay:
 * `revokePublishableKey`, at `/keys/publishable/…`, is `keys revoke-publishable`.
 */
export function nameCommand(operationId: string, path: string): { resource: string; verb: string } {
  const parts = partsOf(path);
  const isCompanys = parts.length === 1 && parts[0] === wordsOf(operationId)[0];
  const resource = isCompanys ? "companies" : parts[0]!;
  return { resource: wordsOf(resource).join("-"), verb: verbOf(operationId, path, resource).join("-") };
}

/** Returns the words of an `operationId` without those that name its resource. */
export function verbOf(operationId: string, path: string, resource: string): string[] {
  const [verb, ...words] = wordsOf(operationId);
  const [, ...others] = partsOf(path);
  const named = words.findIndex((word) => stem(word) === stem(wordsOf(resource).at(-1)!));
  const kept = new Set(others.flatMap(wordsOf).map(stem));
  return [verb!, ...words.filter((word, index) => index > named || kept.has(stem(word)))];
}

function partsOf(path: string): string[] {
  return path.replace(PREFIX, "").split("/").filter((part) => part !== "" && !part.startsWith("{"));
}

/** Splits a name in any spelling into its words. */
export function wordsOf(name: string): string[] {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(/[ _.-]/).filter(Boolean);
}

/** The form of a noun that its plural shares. */
function stem(word: string): string {
  return word.replace(/ies$/, "y").replace(/s$/, "");
}
