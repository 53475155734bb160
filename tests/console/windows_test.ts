import assert from "node:assert/strict";
import { describeWindows, readWindows } from "../../console/screens/settings/windows.ts";
import { readWindows as readOnServer } from "../../supabase/functions/_shared/scheduling/week_windows.ts";

Deno.test("readWindows() reads hours as the command line does, and describeWindows() writes them for people", () => {
  for (
    const [text, description] of [
      [
        "mon-fri 09:00-14:00,16:00-21:00; sat 10:00-14:00",
        "Mon–Fri 09:00–14:00, 16:00–21:00; Sat 10:00–14:00",
      ],
      ["mon 08:00-24:00", "Mon 08:00–24:00"],
      [
        "mon-tue 09:00-10:00; thu 09:00-10:00; sat-sun 11:00-12:00",
        "Mon–Tue 09:00–10:00; Thu 09:00–10:00; Sat–Sun 11:00–12:00",
      ],
    ] as const
  ) {
    assert.deepEqual(readWindows(text), readOnServer(text));
    assert.equal(describeWindows(readWindows(text)!), description);
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
