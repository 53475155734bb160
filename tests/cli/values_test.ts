import assert from "node:assert/strict";
import { InvalidArgumentError } from "commander";
import { day, futureTime, keyPermissions, uuid, wholeNumber } from "../../cli/terminal/values.ts";

Deno.test("uuid() takes ids in either case and nothing else", () => {
  assert.equal(uuid("0193A1B2-0000-4000-8000-0123456789AB"), "0193a1b2-0000-4000-8000-0123456789ab");
  for (
    const value of ["", "1", "0193a1b2000040008000-0123456789ab", "{0193a1b2-0000-4000-8000-0123456789ab}"]
  ) {
    assert.throws(() => uuid(value), InvalidArgumentError, value);
  }
});

Deno.test("wholeNumber() takes what a column can hold", () => {
  assert.deepEqual(["1", "080", "2147483647"].map(wholeNumber(1)), [1, 80, 2147483647]);
  for (const value of ["0", "", "-1", "1.5", "1e3", "abc", "2147483648", "Infinity", " 5"]) {
    assert.throws(() => wholeNumber(1)(value), InvalidArgumentError, value);
  }
});

Deno.test("keyPermissions() takes each permission once", () => {
  assert.deepEqual(keyPermissions("voice_notifications, voice_notifications"), ["voice_notifications"]);
  for (const value of ["", "voice", "voice_notifications,"]) {
    assert.throws(() => keyPermissions(value), InvalidArgumentError, value);
  }
});

Deno.test("day() takes a day of the calendar in one form", () => {
  assert.equal(day("2026-10-01"), "2026-10-01");
  for (
    const value of ["20261001", "2026-10-01T08:00", "2026-10-01[u-ca=iso8601]", "+002026-10-01", "2026-02-29"]
  ) {
    assert.throws(() => day(value), InvalidArgumentError, value);
  }
});

Deno.test("futureTime() wants a zone and the future", () => {
  assert.equal(futureTime("2099-01-31T18:00+02:00").toISOString(), "2099-01-31T16:00:00.000Z");
  for (
    const value of [
      "2099-01-31T18:00",
      "2099-02-31T18:00Z",
      "2001-01-01T00:00Z",
      "tomorrow",
      "2099-13-01T00:00Z",
      "20990131T1800Z",
      "2099-01-31 18:00Z",
      "2099-01-31T18:00+02:00[Europe/Madrid]",
    ]
  ) {
    assert.throws(() => futureTime(value), InvalidArgumentError, value);
  }
});
