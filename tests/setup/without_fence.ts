import { readReference, writeReference } from "../../supabase/functions/_shared/dispatching/reference.ts";

/** The part of a reference that all attempts of a notification have in common; another text stays as it is. */
export function withoutFence(text: unknown): string {
  const reference = readReference(String(text));
  return reference === null ? String(text) : writeReference({ ...reference, fence: null });
}
