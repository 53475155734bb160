/** Seconds to wait by a `Retry-After` header, which holds a number or an HTTP date; undefined without a valid one. */
export function retryAfterSeconds(headers: Headers, now: Date = new Date()): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(value)) return Number(value);
  // Date.parse() takes numbers such as "-5" for years; a date in a header starts with the day of the week.
  const at = /^[A-Z][a-z]{2}/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}
