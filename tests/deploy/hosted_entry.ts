/**
 * Serves one bundled function as the hosted runtime does: no `Worker`, and `EdgeRuntime`.
 * Prints the port, and a line when the nth work in the background ends. Run under the hosted
 * runtime's version of Deno, so it keeps to what that version has.
 *
 * @module
 */
interface FunctionModule {
  default: { fetch(request: Request): Response | Promise<Response> };
}

const [bundle] = Deno.args;
Reflect.deleteProperty(globalThis, "Worker");
let works = 0;
Object.assign(globalThis, { EdgeRuntime: { waitUntil } });
const { default: app } = await import(`file://${bundle}`) as FunctionModule;
Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => write(`PORT ${port}`),
}, (request) => app.fetch(request));

function waitUntil(work: Promise<unknown>): void {
  const number = ++works;
  void work.finally(() => write(`BACKGROUND ${number} ENDED`));
}

function write(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
