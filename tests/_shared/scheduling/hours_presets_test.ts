import assert from "node:assert/strict";
import {
  DEFAULT_HOURS,
  HOURS_PRESETS,
  PRESET_COUNTRIES,
  presetHours,
} from "../../../supabase/functions/_shared/scheduling/hours_presets.ts";
import { findUnknownCalendar } from "../../../supabase/functions/_shared/scheduling/holidays.ts";
import type { HoursRule } from "../../../supabase/functions/_shared/scheduling/sending_rules.ts";
import { zonesOfCountry } from "../../../supabase/functions/_shared/scheduling/recipient_places.ts";
import { weekWindowsSchema } from "../../../supabase/functions/_shared/scheduling/week_windows.ts";

Deno.test("every preset has valid hours, a source, zones and a calendar", async () => {
  for (const country of PRESET_COUNTRIES) {
    const { calls, messages, source, about } = HOURS_PRESETS[country];
    assert.ok(weekWindowsSchema.safeParse(calls.windows).success, country);
    assert.ok(weekWindowsSchema.safeParse(messages.windows).success, country);
    assert.ok(source.length > 5 && about.length > 5, country);
    assert.ok(zonesOfCountry(country).length > 0, country);
  }
  assert.equal(
    await findUnknownCalendar({ holidays: [...PRESET_COUNTRIES] } as unknown as HoursRule),
    undefined,
  );
});

Deno.test("presetHours() is by channel, and the default hours for other countries", () => {
  assert.deepEqual(presetHours("FR", "voice").windows.mon, [["10:00", "13:00"], ["14:00", "20:00"]]);
  assert.deepEqual(presetHours("FR", "whatsapp").windows.mon, [["08:00", "22:00"]]);
  assert.equal(presetHours("BO", "voice"), DEFAULT_HOURS);
  assert.equal(presetHours(null, "voice"), DEFAULT_HOURS);
});
