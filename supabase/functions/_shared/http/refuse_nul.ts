import { AppError } from "../errors.ts";

/** Throws `validation_failed` for a URL with a NUL character, which no text in the database can hold. */
export function refuseNul(url: string): void {
  if (!url.includes("%00")) return;
  throw new AppError("validation_failed", "The URL holds a NUL character", {
    details: { field: "url", reason: "no NUL character" },
  });
}
