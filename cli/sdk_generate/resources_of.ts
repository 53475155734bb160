const BELOW_COMPANY = /^\/manage\/companies\/\{company_id\}\/([a-z_]+)/;

/** Resources that are not named by the path: those of other tags than "Management". */
const OTHER_RESOURCES: Record<string, string> = { Agents: "mcp", Operation: "service" };

/**
 * Returns a function that names the resource of an operation: what its path names below a company, or else its tag. An
 * operation that is alone below a company's segment belongs to the company.
 */
export function resourcesOf(paths: Record<string, object>): (path: string, tag: string) => string {
  const counts = new Map<string, number>();
  for (const [path, operations] of Object.entries(paths)) {
    const segment = BELOW_COMPANY.exec(path)?.[1];
    if (segment) counts.set(segment, (counts.get(segment) ?? 0) + Object.keys(operations).length);
  }
  return (path, tag) => {
    const segment = BELOW_COMPANY.exec(path)?.[1];
    if (segment) return counts.get(segment) === 1 ? "companies" : segment;
    return /^\/manage\/([a-z_]+)/.exec(path)?.[1] ?? OTHER_RESOURCES[tag] ?? tag;
  };
}
