/**
 * Loads bundled functions the way the hosted runtime does, sends each two requests and prints the responses as one JSON line.
 * Run by `hosted_runtime_test.ts` under the hosted runtime's version of Deno, so it keeps to what that version has.
 *
 * @module
 */

/** The response of a function. */
export interface FunctionResponse {
  slug: string;
  path: string;
  status: number;
  contentType: string | null;
  text: string;
}

interface FunctionModule {
  default: { fetch(request: Request): Response | Promise<Response> };
}

async function ask(slug: string, module: FunctionModule, path: string): Promise<FunctionResponse> {
  const response = await module.default.fetch(new Request(`http://localhost${path}`));
  const contentType = response.headers.get("content-type");
  return { slug, path, status: response.status, contentType, text: await response.text() };
}

if (import.meta.main) {
  const [folder, ...slugs] = Deno.args;
  Reflect.deleteProperty(globalThis, "Worker"); // the hosted runtime has none
  const responses: FunctionResponse[] = [];
  for (const slug of slugs) {
    const module = await import(`file://${folder}/${slug}/index.js`) as FunctionModule;
    responses.push(await ask(slug, module, `/${slug}`), await ask(slug, module, `/${slug}/no/such/path`));
  }
  Deno.stdout.writeSync(new TextEncoder().encode(`\nRESPONSES ${JSON.stringify(responses)}\n`));
  Deno.exit(0);
}
