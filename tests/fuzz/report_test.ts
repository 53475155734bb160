import assert from "node:assert/strict";
import { join } from "node:path";
import { withTempFolder } from "../setup/temp_folder.ts";
import { readReport, summarize } from "./report.ts";

Deno.test("summarize() counts requests, and names what refused every one and what was left out", () =>
  withTempFolder(async (folder) => {
    const scenario = (label: string, ...statuses: (number | null)[]) =>
      JSON.stringify({
        ScenarioFinished: {
          recorder: {
            label,
            interactions: Object.fromEntries(
              statuses.map((status, index) => [index, { response: status && { status_code: status } }]),
            ),
          },
        },
      });
    const file = join(folder, "report.ndjson");
    const lines = [scenario("GET /a", 200, 400), scenario("GET /b", 401, null), scenario("GET /b", 401)];
    await Deno.writeTextFile(file, `{"Initialize":{}}\n${lines.join("\n")}\n`);

    const summary = summarize(await readReport(file), {
      excluded: [{ operations: ["b"], setting: "no check", reason: "it is so" }],
      notCalled: { c: "it streams" },
    });

    assert.deepEqual(summary.split("\n"), [
      "5 requests to 2 operations",
      "Refused every time, so only their errors were checked:",
      "  GET /b: 2 × 401, 1 × none",
      "Left out:",
      "  c: it streams",
      "  b: no check, because it is so",
    ]);
  }));
