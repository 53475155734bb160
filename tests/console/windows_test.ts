import assert from "node:assert/strict";
import { readWindows, writeWindows } from "../../console/screens/settings/windows.ts";
import { readWindows as readOnServer } from "../../supabase/functions/_shared/scheduling/week_windows.ts";

Deno.test("readWindows() reads hours as the command line does, and writeWindows() writes them", () => {
  for (
    const text of [
      "mon-fri 09:00-14:00,16:00-21:00; sat 10:00-14:00",
      "mon 08:00-24:00",
      "mon-tue 09:00-10:00; thu 09:00-10:00; sat-sun 11:00-12:00",
    ]
  ) {
    assert.deepEqual(readWindows(text), readOnServer(text));
    assert.equal(writeWindows(readWindows(text)!), text);
  }
});

Deno.test("readWindows() refuses what is no hours", () => {
  for (
    const text of [
      "",
      "any time",
      "mon",
      "09:00-10:00",
      "fri-mon 09:00-10:00",
      "mon 09:00",
      "moon 09:00-10:00",
    ]
  ) {
    assert.equal(readWindows(text), undefined, text);
  }
});
