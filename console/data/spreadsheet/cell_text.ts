/** How the numbers of a style are shown, as far as it changes what they mean. */
export type NumberKind = "number" | "date" | { digits: number };

/** The built-in formats of dates and times. */
const DATE_IDS = [[14, 22], [27, 36], [45, 47], [50, 58]] as const;

const DAY_MS = 86_400_000;

/** Day 0 of a workbook: it takes 1900 for a leap year. */
const EPOCH = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);

/** Returns what the number format of a style means. */
export function numberKind(id: number, code: string | undefined): NumberKind {
  if (code === undefined) return DATE_IDS.some(([from, to]) => id >= from && id <= to) ? "date" : "number";
  if (/^0+$/.test(code)) return { digits: code.length };
  // Texts, colours and escaped letters are no parts of a date.
  return /[dmyhs]/i.test(
      code.replaceAll(/"[^"]*(?:"|$)|\\.|_.|\[(?!h|m|s)[^\]]*(?:\]|$)/gi, "").replace(/general/i, ""),
    )
    ? "date"
    : "number";
}

/** Writes a number of a workbook as people mean it: all digits, no exponent, dates by ISO 8601. */
export function numberText(written: string, kind: NumberKind, is1904: boolean): string {
  const value = Number(written);
  if (!Number.isFinite(value)) return written;
  if (kind === "date" && value >= 0) return dateText(value, is1904);
  const text = value.toLocaleString("en-US", { useGrouping: false, maximumSignificantDigits: 15 });
  return typeof kind === "object" && Number.isInteger(value) ? text.padStart(kind.digits, "0") : text;
}

function dateText(days: number, is1904: boolean): string {
  // To the second: the fraction of a day is rounded.
  const at = Math.round(days * 86_400) * 1000;
  const text = new Date((is1904 ? EPOCH_1904 : EPOCH) + at).toISOString();
  const clock = text.slice(11, text.slice(17, 19) === "00" ? 16 : 19);
  if (days < 1 && !is1904) return clock;
  return at % DAY_MS === 0 ? text.slice(0, 10) : `${text.slice(0, 10)}T${clock}`;
}
