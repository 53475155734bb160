import { z } from "zod";
import { isPlainText, WITHOUT_CONTROLS } from "../control_characters.ts";

const MAX_CHARACTERS = 4000;

/** What a visitor or an operator writes in a chat: lines and tabs, no other control characters. */
export const messageTextSchema = z.string({ error: "text" }).trim().min(1, "text that is not empty")
  // Counted as the database does, by characters and not by UTF-16 units.
  .refine((text) => [...text].length <= MAX_CHARACTERS, `at most ${MAX_CHARACTERS} characters`)
  .overwrite((text) => text.replace(/\r\n?/g, "\n"))
  .refine(isPlainText, WITHOUT_CONTROLS);
