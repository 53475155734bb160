import type { StoredContact } from "./sdk.ts";

/** The characters of a phone number, however it is written. */
const NUMBER_LIKE = /^[+\d\s().\-/]+$/;

/** The API looks for no less. */
const MIN_SEARCH = 3;

/** Returns what to search for; undefined while too little was typed. */
export function searchable(typed: string | undefined): string | undefined {
  const text = typed?.trim() ?? "";
  const digits = NUMBER_LIKE.test(text) ? text.replace(/\D/g, "").replace(/^0+/, "") : undefined;
  return (digits ?? text).length < MIN_SEARCH ? undefined : text;
}

/** Whether a text may be a whole phone number, however it is written. */
export function isLikeNumber(typed: string): boolean {
  return NUMBER_LIKE.test(typed.trim()) && typed.replace(/\D/g, "").length >= 7;
}

/** Returns the first address of a kind. */
export function addressOf(
  { addresses }: Pick<StoredContact, "addresses">,
  ...kinds: StoredContact["addresses"][number]["kind"][]
): string | undefined {
  return kinds.flatMap((kind) => addresses.filter((each) => each.kind === kind))[0]?.address;
}
