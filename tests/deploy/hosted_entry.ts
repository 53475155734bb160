/**
 * Serves one bundled function as the hosted runtime does: no `Worker`, and `EdgeRuntime`.
 * Prints the port. Run under the hosted runtime's version of Deno, so it keeps to what that version has.
 *
 * @module
 */
interface FunctionModule {
  default: { fetch(request: Request): Response | Promise<Response> };
}

const [bundle] = Deno.args;
Reflect.deleteProperty(globalThis, "Worker");
Object.assign(globalThis, { EdgeRuntime: { waitUntil() {} } });
const { default: app } = await import(`file://${bundle}`) as FunctionModule;
Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => Deno.stdout.writeSync(new TextEncoder().encode(`PORT ${port}\n`)),
}, (request) => app.fetch(request));
