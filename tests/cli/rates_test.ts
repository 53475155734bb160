import assert from "node:assert/strict";
import { withTestDatabase } from "../setup/database/database.ts";
import { runAdminProcess } from "./run_admin.ts";

const HEADER = "market,category,currency,rate,effective_from";

/** Calls `fn` with a function that runs `rates` commands, with lines on standard input. */
async function withRates(
  fn: (rates: (args: string[], ...lines: string[]) => ReturnType<typeof runAdminProcess>) => Promise<void>,
): Promise<void> {
  await withTestDatabase(({ url }) =>
    fn((args, ...lines) =>
      runAdminProcess(["rates", ...args], { env: { DATABASE_URL: url }, stdin: lines.join("\r\n") })
    )
  );
}

Deno.test("rates import stores a card, replaces what it has, and rates list shows what is in effect", () =>
  withRates(async (rates) => {
    const first = await rates(
      ["import", "-", "--json"],
      `\ufeff${HEADER}`,
      "es,MARKETING,usd,0.0615,2026-01-01",
      "ES,marketing,USD,0.07,2999-01-01",
      "*,marketing,USD,0.1,2026-01-01",
    );
    const second = await rates(
      ["import", "-"],
      HEADER,
      "ES,marketing,USD,0.0500,2026-01-01",
      "ES,marketing,EUR,0.05,2026-01-01",
    );
    const list = await rates(["list", "--currency", "usd", "--json"]);
    const all = await rates(["list", "--all"]);

    assert.deepEqual([first.code, first.json], [0, { added: 3, replaced: 0, errors: [], invalid: 0 }]);
    assert.deepEqual([second.code, second.stdout], [0, "Imported: 1 new rates, 1 replaced\n"]);
    const spain = { market: "ES", category: "marketing", currency: "USD", effective_from: "2026-01-01" };
    assert.deepEqual(list.json.rates, [{ ...spain, rate: "0.05" }, { ...spain, market: "*", rate: "0.1" }]);
    assert.equal(all.stdout.trim().split("\n").length, 5);
    assert.match(all.stdout, /^MARKET +CATEGORY +CURRENCY +RATE +FROM\n/);
  }));

Deno.test("rates remove takes back what was imported of a currency for a day, and nothing else", () =>
  withRates(async (rates) => {
    await rates(
      ["import", "-"],
      HEADER,
      "ES,marketing,USD,0.06,2026-01-01",
      "*,utility,USD,0.01,2026-01-01",
      "ES,marketing,USD,0.07,2026-04-01",
      "ES,marketing,EUR,0.05,2026-01-01",
    );

    const removed = await rates(["remove", "--currency", "usd", "--from", "2026-01-01", "--json"]);
    const again = await rates(["remove", "--currency", "usd", "--from", "2026-01-01"]);
    const left = await rates(["list", "--all", "--json"]);

    assert.deepEqual([removed.code, removed.json], [0, { removed: 2 }]);
    assert.deepEqual([again.code, again.stdout], [0, "Removed 0 rates\n"]);
    const of = (left.json.rates as Record<string, string>[]).map((
      rate,
    ) => [rate.currency, rate.effective_from]);
    assert.deepEqual(of, [["EUR", "2026-01-01"], ["USD", "2026-04-01"]]);
    assert.equal((await rates(["remove", "--currency", "usd", "--from", "January"])).code, 1);
  }));

Deno.test("rates import takes all of a file or nothing of it", () =>
  withRates(async (rates) => {
    const { code, json, stderr } = await rates(
      ["import", "-", "--json"],
      HEADER,
      "ES,marketing,USD,0.06,2026-01-01",
      "Spain,marketing,USD,0.06,2026-01-01",
      "MX,marketing,USD,1e3,2026-01-01",
      "MX,marketing,USD,0.06,2026-02-31",
      "MX,,USD,0.06,2026-01-01",
      "es,marketing,USD,0.07,2026-01-01",
    );

    assert.equal(code, 1);
    assert.match(stderr, /^5 lines do not fit/);
    const errors = json.errors as { line: number; field: string; reason: string }[];
    assert.deepEqual(errors.map(({ line, field }) => [line, field]), [
      ...[[3, "market"], [4, "rate"], [5, "effective_from"], [6, "category"], [7, "market"]],
    ]);
    assert.match(errors[0]!.reason, /expected a country such as ES.*got 'Spain'/);
    assert.deepEqual((await rates(["list", "--json"])).json, { rates: [] });

    for (
      const [lines, message] of [
        [["market,category,currency,rate"], /'effective_from' is missing/],
        [[HEADER], /no rates/],
      ] as const
    ) {
      const refused = await rates(["import", "-"], ...lines);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, message);
    }
  }));
