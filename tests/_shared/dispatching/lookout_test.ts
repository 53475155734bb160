import assert from "node:assert/strict";
import type { Sql } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { createLookout } from "../../../supabase/functions/_shared/dispatching/lookout.ts";

/** A database in which a chore is open, and what each look asked for. */
function database() {
  const withChores: unknown[] = [];
  const sql = (_: unknown, asked: unknown) => {
    withChores.push(asked);
    return Promise.resolve([{ ms: null, chores: asked ? ["tick"] : null }]);
  };
  return { withChores, sql: sql as unknown as Sql };
}

Deno.test("a worker and the chores of an idle dispatcher share one look", async () => {
  const { sql, withChores } = database();
  const lookout = createLookout(sql, () => 0);

  const due = await lookout.untilDue();
  const chores = await lookout.openChores();

  assert.deepEqual([due, chores, withChores], [Infinity, ["tick"], [true]]);
});

Deno.test("looks that follow each other closely leave the chores out", async () => {
  const { sql, withChores } = database();
  const lookout = createLookout(sql, () => 0);

  await lookout.untilDue();
  await lookout.untilDue();

  assert.deepEqual(withChores, [true, false]);
});

Deno.test("a look that is older than two looks of a worker is not trusted", async () => {
  const { sql, withChores } = database();
  let now = 0;
  const lookout = createLookout(sql, () => now);

  await lookout.openChores();
  now = 749;
  await lookout.openChores();
  const before = withChores.length;
  now = 750;
  await lookout.openChores();

  assert.deepEqual([before, withChores.length], [1, 2]);
});

Deno.test("the chores look for themselves while the worker is busy", async () => {
  const { sql, withChores } = database();

  assert.deepEqual([await createLookout(sql).openChores(), withChores], [["tick"], [true]]);
});
