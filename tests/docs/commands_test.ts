import assert from "node:assert/strict";
import { skipped } from "../setup/skipped.ts";
import { blocksOf, listPages, readPage } from "./read_page.ts";
import { countCommands, runPage } from "./run_page.ts";
import { missingTools, type StackFile, withDocumentedStack } from "./with_documented_stack.ts";
import { writeInDemoChat } from "./write_in_demo_chat.ts";

/** Last, because its commands make the simulated platforms fail. */
const LAST = "docs/sandbox.md";

/** Commands that cannot run here stand in `bash` blocks instead of `sh`: how many each page has, and why. */
const NOT_RUN: Record<string, { blocks: number; because: string }> = {
  "README.md": { blocks: 1, because: "they start the service and run the tests, as this test does" },
  "CONTRIBUTING.md": { blocks: 1, because: "they run the tests and start the service" },
  "docs/manage.md": { blocks: 2, because: "they need a person who has logged in" },
  "docs/operations.md": {
    blocks: 14,
    because:
      "they need a project at Supabase (tests/deploy runs these), a database of one's own, root, Docker or " +
      "Kubernetes, senders with real tokens (tests/cli/doctor), or change the migrations (tests/cli/schema)",
  },
  "docs/sandbox.md": { blocks: 1, because: "they start the service again, beside a LiveKit server" },
  "docs/sdk.md": { blocks: 1, because: "tests/sdk builds and installs the package" },
  "docs/widgets.md": { blocks: 1, because: "a handoff needs a LiveKit server" },
  "docs/performance.md": { blocks: 1, because: "the benchmark takes far longer than all tests" },
};

/** Steps in a browser that pages ask the reader for before their commands. */
const IN_BROWSER: Record<string, (stack: StackFile) => Promise<void>> = {
  "docs/widgets.md": writeInDemoChat,
};

async function pagesInOrder(): Promise<string[]> {
  const pages = (await listPages()).filter((page) => page !== LAST);
  return [...pages, LAST];
}

Deno.test("every command of README.md and docs/ runs as pasted, in the order of its page, with Node alone", async () => {
  const missing = await missingTools();
  if (missing.length > 0) return skipped("the commands of the documentation", `no ${missing.join(", ")}`);
  const start = /^npx .* task start\b/m.exec(await readPage("README.md"))?.[0];
  assert.ok(start, "README.md says how to start");
  const failures: string[] = [];
  await withDocumentedStack(start, async ({ folder, env, stack, withPorts }) => {
    for (const page of await pagesInOrder()) {
      await IN_BROWSER[page]?.(stack);
      const { code, output } = await runPage({ page, text: withPorts(await readPage(page)), folder, env });
      if (code !== 0) failures.push(`${page} failed with ${code}:\n${output.slice(-4000)}`);
    }
  });

  if (failures.length > 0) assert.fail(failures.join("\n\n"));
});

Deno.test("commands have no comments, which zsh would take for arguments", async () => {
  const found: string[] = [];
  for (const page of await listPages()) {
    // The functions that the sandbox's page defines ignore further arguments.
    if (page === LAST) continue;
    for (const { language, line, lines } of blocksOf(await readPage(page))) {
      if (/^(ba)?sh$/.test(language) && lines.some((each) => /(^|\s)#/.test(each))) {
        found.push(`${page}:${line}`);
      }
    }
  }

  assert.deepEqual(found, []);
});

Deno.test("only the commands that cannot run here are left out, each for a reason", async () => {
  const found: Record<string, number> = {};
  let [run, leftOut] = [0, 0];
  for (const page of [...await listPages(), "CONTRIBUTING.md"]) {
    const text = await readPage(page);
    const count = blocksOf(text).filter(({ language }) => language === "bash").length;
    if (count > 0) found[page] = count;
    run += countCommands(text, "sh");
    leftOut += countCommands(text, "bash");
  }

  const expected = Object.entries(NOT_RUN).map(([page, { blocks }]) => [page, blocks]);
  assert.deepEqual(found, Object.fromEntries(expected));
  assert.ok(leftOut < run / 8, `${leftOut} commands are left out, ${run} are run`);
});
