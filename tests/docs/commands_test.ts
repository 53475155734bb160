import assert from "node:assert/strict";
import { eventually } from "../setup/eventually.ts";
import { skipped } from "../setup/skipped.ts";
import { differences, readDemoState } from "./demo_state.ts";
import { blocksOf, listPages, readPage } from "./read_page.ts";
import { countCommands, runPage } from "./run_page.ts";
import {
  type DocumentedStack,
  missingTools,
  type StackFile,
  withDocumentedStack,
} from "./with_documented_stack.ts";
import { writeInDemoChat } from "./write_in_demo_chat.ts";

/** Its commands carry comments: the functions that it defines ignore further arguments. */
const WITH_COMMENTS = "docs/sandbox.md";

/**
 * Commands that cannot run here stand in `bash` blocks instead of `sh`: how many each page has, why, and which other test
 * runs the page.
 */
const NOT_RUN: Record<string, { blocks: number; because: string; runBy?: string }> = {
  "README.md": { blocks: 1, because: "they start the service and run the tests, as this test does" },
  "CONTRIBUTING.md": {
    blocks: 2,
    because: "they run the tests and start the service, or take the machine's network away as root",
  },
  "docs/api.md": { blocks: 1, because: "a handoff needs a LiveKit server" },
  "docs/go.md": { blocks: 1, because: "they need Go", runBy: "tests/sdk/go_test.ts" },
  "docs/cli.md": { blocks: 1, because: "it needs the installed package (tests/cli/outbound)" },
  "docs/larger_deployment.md": {
    blocks: 1,
    because: "they need a second database (tests/control/cells_test.ts)",
  },
  "docs/operations.md": {
    blocks: 16,
    because:
      "they need a project at Supabase (tests/deploy runs these), a database of one's own, root, Docker or " +
      "Kubernetes, senders with real tokens (tests/cli/doctor), or change the migrations (tests/cli/schema)",
  },
  "docs/sandbox.md": {
    blocks: 2,
    because:
      "one needs a live company and its owner (tests/e2e/access/test_keys_test.ts), one a LiveKit server",
  },
  "docs/widgets.md": { blocks: 1, because: "a handoff needs a LiveKit server" },
  "docs/performance.md": {
    blocks: 2,
    because: "the benchmark, and a first download, take far longer than all tests",
  },
  "docs/python.md": { blocks: 2, because: "they need Python", runBy: "tests/sdk/python_test.ts" },
  "docs/recipes.md": {
    blocks: 6,
    because: "they need packages, Python and a webhook of the demo company",
    runBy: "tests/recipes",
  },
};

/** Blocks that are no commands, by their language, and what stands for running them. */
const SHOWN: Record<string, string> = {
  html: "part of a page: tests/browser has it on one",
  js: "the same, or the file of a recipe: tests/recipes runs it",
  json: "a response or a body, of which the same page has the command, or the file of a recipe",
  mermaid: "a diagram",
  python: "the file of a recipe: tests/recipes runs it",
  sql: "for a Postgres of one's own: tests/migrations and tests/cli run what operators need",
  text: "an output, or a part of a configuration file",
  toml: "a part of a configuration file",
  ts: "the file of a recipe: tests/recipes runs it",
  tsx: "an example of the package: tests/browser/widget_package_test.ts runs that of its README",
  yaml: "the file of a recipe: tests/recipes runs it",
};

/** Messages that were sent, and calls, end within this time. */
const SETTLE_MS = 60_000;

/** Steps in a browser that pages ask the reader for before their commands. */
const IN_BROWSER: Record<string, (stack: StackFile) => Promise<void>> = {
  "docs/widgets.md": writeInDemoChat,
};

/** Runs the commands of a page and looks at the demo afterwards. */
async function runCommandsOf(
  page: string,
  { folder, env, stack, withFreePort }: DocumentedStack,
): Promise<void> {
  const before = await readDemoState(stack);
  await IN_BROWSER[page]?.(stack);
  const { code, output } = await runPage({ page, text: withFreePort(await readPage(page)), folder, env });
  assert.equal(code, 0, `${page} failed with ${code}:\n${output.slice(-4000)}`);
  await eventually(async () => {
    const left = differences(before, await readDemoState(stack));
    assert.deepEqual(left, [], `${page} leaves the demo changed:\n${left.join("\n")}`);
  }, SETTLE_MS);
}

Deno.test("every command of README.md and docs/ runs as pasted, with Node alone, and leaves the demo as it was", async (t) => {
  const missing = await missingTools();
  if (missing.length > 0) return skipped("the commands of the documentation", `no ${missing.join(", ")}`);
  const start = /^npx .* task start\b/m.exec(await readPage("README.md"))?.[0];
  assert.ok(start, "README.md says how to start");
  await withDocumentedStack(start, async (documented) => {
    for (const page of await listPages()) await t.step(page, () => runCommandsOf(page, documented));
  });
});

Deno.test("commands have no comments, which zsh would take for arguments", async () => {
  const found: string[] = [];
  for (const page of await listPages()) {
    if (page === WITH_COMMENTS) continue;
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
    if (NOT_RUN[page]?.runBy === undefined) leftOut += countCommands(text, "bash");
  }

  const expected = Object.entries(NOT_RUN).map(([page, { blocks }]) => [page, blocks]);
  assert.deepEqual(found, Object.fromEntries(expected));
  assert.ok(leftOut < run / 8, `${leftOut} commands are left out, ${run} are run`);
});

Deno.test("every block is a command or of a kind that has a reason not to be run", async () => {
  const unknown: string[] = [];
  for (const page of await listPages()) {
    for (const { language, line } of blocksOf(await readPage(page))) {
      if (!/^(ba)?sh$/.test(language) && SHOWN[language] === undefined) {
        unknown.push(`${page}:${line} ${language}`);
      }
    }
  }

  assert.deepEqual(unknown, []);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

Deno.test("every block of JSON is JSON, as a whole or in each line", async () => {
  const broken: string[] = [];
  for (const page of await listPages()) {
    for (const { language, line, lines } of blocksOf(await readPage(page))) {
      if (language !== "json" || isJson(lines.join("\n")) || lines.every(isJson)) continue;
      broken.push(`${page}:${line}`);
    }
  }

  assert.deepEqual(broken, []);
});
