/** Resources of a company are named as if they stood alone. */
const PREFIX = /^\/manage(\/companies\/\{company_id\})?(?=\/[^{])/;

/**
 * Names the command of an operation: the resource is the first part of its path, the verb its `operationId` without the
 * words that name the resource. `listCampaignRecipients` is `campaigns list-recipients`. Words of the rest of the path stay:
 * `revokePublishableKey`, at `/keys/publishable/…`, is `keys revoke-publishable`.
 */
export function nameCommand(operationId: string, path: string): { resource: string; verb: string } {
  const [verb, ...words] = wordsOf(operationId);
  const parts = path.replace(PREFIX, "").split("/").filter((part) => part !== "" && !part.startsWith("{"));
  const [first, ...others] = parts.map((part) => wordsOf(part));
  const resource = parts.length === 1 && parts[0] === verb ? ["companies"] : first!;
  const named = words.findIndex((word) => stem(word) === stem(resource.at(-1)!));
  const kept = new Set(others.flat().map(stem));
  const rest = words.filter((word, index) => index > named || kept.has(stem(word)));
  return { resource: resource.join("-"), verb: [verb, ...rest].join("-") };
}

function wordsOf(name: string): string[] {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(/[ _.-]/).filter(Boolean);
}

/** The form of a noun that its plural shares. */
function stem(word: string): string {
  return word.replace(/ies$/, "y").replace(/s$/, "");
}
