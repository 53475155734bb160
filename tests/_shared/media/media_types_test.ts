import assert from "node:assert/strict";
import { withEndingOf } from "../../../supabase/functions/_shared/media/media_types.ts";

Deno.test("withEndingOf() adds an ending of the type to a name that has another one", () => {
  for (
    const [type, name, expected] of [
      ["application/pdf", "receipt.pdf", "receipt.pdf"],
      ["application/pdf", "receipt.PDF", "receipt.PDF"],
      ["application/pdf", "receipt", "receipt"],
      ["application/pdf", "receipt.pdf.exe", "receipt.pdf.exe.pdf"],
      ["application/pdf", "Version 1.2", "Version 1.2.pdf"],
      ["text/plain", "run.bat.", "run.bat..txt"],
      ["text/plain", "run.bat . ", "run.bat . .txt"],
      ["text/plain", "\u202etxt.hta", "\u202etxt.hta.txt"],
      ["text/plain", ".profile", ".profile.txt"],
      ["text/plain", "notes.md", "notes.md"],
      ["audio/mp4", "Voice.m4a", "Voice.m4a"],
    ] as const
  ) assert.equal(withEndingOf(type, name), expected);
});
