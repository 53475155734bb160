export async function readReport(p: string): Promise<string> {
  return await Deno.readTextFile(p);
}
export function summarize(t: string, _o: unknown): string {
  Deno.writeTextFileSync("/tmp/apidoc/report.ndjson", t);
  return String(t.length);
}
