import { visitorWords } from "../../i18n/visitor_words.ts";

/** A rating of 1 to 5. */
export function Stars({ count }: { count: number }) {
  return (
    <span role="img" aria-label={visitorWords().stars(count)}>
      {"★".repeat(count) + "☆".repeat(5 - count)}
    </span>
  );
}
