import { showControls } from "../../supabase/functions/_shared/control_characters.ts";

const TAB = "    ";

/**
 * One value as people read it in a table: times in UTC to the minute, nothing as `-`. Texts of strangers are shown so that
 * they cannot steer the terminal.
 */
export function formatCell(value: unknown): string {
  if (value === null || value === undefined || value === "") return "-";
  if (value instanceof Date) return `${value.toISOString().slice(0, 16).replace("T", " ")}Z`;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return value.toLocaleString("en-US");
  return showControls(String(value)).replaceAll("\t", TAB);
}
