/**
 * Loads functions the way the hosted runtime does, asks each two questions and prints the answers as one JSON line.
 * Run by `hosted_runtime_test.ts` under the hosted runtime's version of Deno, so it keeps to what that version has.
 *
 * @module
 */

/** What a function answered. */
export interface FunctionAnswer {
  slug: string;
  path: string;
  status: number;
  contentType: string | null;
  text: string;
}

interface FunctionModule {
  default: { fetch(request: Request): Response | Promise<Response> };
}

async function ask(slug: string, module: FunctionModule, path: string): Promise<FunctionAnswer> {
  const response = await module.default.fetch(new Request(`http://localhost${path}`));
  const contentType = response.headers.get("content-type");
  return { slug, path, status: response.status, contentType, text: await response.text() };
}

if (import.meta.main) {
  const [folder, ...slugs] = Deno.args;
  Reflect.deleteProperty(globalThis, "Worker"); // the hosted runtime has none
  const answers: FunctionAnswer[] = [];
  for (const slug of slugs) {
    const module = await import(new URL(`file://${folder}/${slug}/index.ts`).href) as FunctionModule;
    answers.push(await ask(slug, module, `/${slug}`), await ask(slug, module, `/${slug}/no/such/path`));
  }
  Deno.stdout.writeSync(new TextEncoder().encode(`\nANSWERS ${JSON.stringify(answers)}\n`));
  Deno.exit(0);
}
