import { join } from "node:path";
import type { ClientProgram } from "./behaviour_setup.ts";
import { BEHAVIOURS } from "./behaviours.ts";
import { buildGoProgram, withGoClient } from "./go_client.ts";
import { ROOT, run } from "./packed_client.ts";
import { withPythonClient } from "./python_client.ts";

type Programs = Record<string, ClientProgram>;

/** The clients of each language, and how their programs are run. Where that cannot be, the test counts as skipped. */
const LANGUAGES: Record<string, (test: string, fn: (programs: Programs) => Promise<void>) => Promise<void>> =
  {
    TypeScript: (_test, fn) =>
      fn({
        Outbound: {
          validationError: "OutboundError",
          unauthorizedError: "OutboundError",
          run: programOf(Deno.execPath(), ["run", "-A", "--quiet", "--no-check", pathOf("behaviours.ts")]),
        },
      }),
    Python: (test, fn) =>
      withPythonClient(test, async ({ python }) => {
        const errors = { validationError: "ValidationFailedError", unauthorizedError: "UnauthorizedError" };
        const command = [python, [pathOf("behaviours.py")]] as const;
        await fn({
          Outbound: { ...errors, run: programOf(...command, { CLIENT: "sync" }) },
          AsyncOutbound: { ...errors, run: programOf(...command, { CLIENT: "async" }) },
        });
      }),
    Go: (test, fn) =>
      withGoClient(test, async (folder) =>
        await fn({
          Client: {
            validationError: "Error",
            unauthorizedError: "Error",
            run: programOf(await buildGoProgram(folder), []),
          },
        })),
  };

for (const [language, withPrograms] of Object.entries(LANGUAGES)) {
  Deno.test(`the ${language} client does what the table of behaviours says`, (t) =>
    withPrograms(t.name, async (programs) => {
      for (const [name, program] of Object.entries(programs)) {
        for (const [behaviour, check] of Object.entries(BEHAVIOURS)) {
          await t.step(`${name}: ${behaviour}`, () => check(program).then(() => {}));
        }
      }
    }));
}

function pathOf(program: string): string {
  return join(ROOT, "tests/sdk/programs", program);
}

function programOf(
  command: string,
  args: readonly string[],
  more: Record<string, string> = {},
): ClientProgram["run"] {
  return async (behaviour, env) =>
    JSON.parse(await run(command, [...args, behaviour], ROOT, { ...env, ...more }));
}
