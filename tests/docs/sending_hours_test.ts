import assert from "node:assert/strict";
import {
  HOURS_PRESETS,
  PRESET_COUNTRIES,
  type PresetHours,
} from "../../supabase/functions/_shared/scheduling/hours_presets.ts";
import { describeWindows } from "../../supabase/functions/_shared/scheduling/week_windows.ts";
import { readPage, tableBelow } from "./read_page.ts";

function describe({ windows, holidays }: PresetHours): string {
  return `${describeWindows(windows)}${holidays ? "; not on holidays" : ""}`;
}

Deno.test("docs/sending-hours.md has every preset with its hours, strength and source", async () => {
  const expected = PRESET_COUNTRIES.map((country) => {
    const { calls, messages, strength, about, source } = HOURS_PRESETS[country];
    const ofMessages = calls === messages ? "the same" : describe(messages);
    return [country, describe(calls), ofMessages, strength, about, source];
  });

  assert.deepEqual(tableBelow(await readPage("docs/sending-hours.md"), "## Presets"), expected);
});
