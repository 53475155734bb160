import assert from "node:assert/strict";
import { setMaintenance } from "../../cli/maintenance.ts";
import { readMaintenance } from "../../supabase/functions/_shared/db/queue/settings.ts";
import { withTestDatabase } from "../setup/database/database.ts";

Deno.test("setMaintenance() writes what the API reads; switching on again keeps since", () =>
  withTestDatabase(async ({ sql }) => {
    const until = new Date("2099-01-31T18:00:00Z");

    const on = await setMaintenance({ sql }, { on: true, until });
    const longer = await setMaintenance({ sql }, { on: true });

    assert.deepEqual([on.on, on.until], [true, "2099-01-31T18:00:00.000Z"]);
    assert.deepEqual(longer, { on: true, until: null, since: on.since });
    assert.deepEqual(await readMaintenance(sql), longer);
  }));

Deno.test("setMaintenance() switches off, whatever was before", () =>
  withTestDatabase(async ({ sql }) => {
    const untouched = await setMaintenance({ sql }, { on: false });
    await setMaintenance({ sql }, { on: true });

    const off = await setMaintenance({ sql }, { on: false });

    assert.deepEqual([untouched.on, off.on, off.until], [false, false, null]);
    assert.equal((await readMaintenance(sql))?.on, false);
  }));
