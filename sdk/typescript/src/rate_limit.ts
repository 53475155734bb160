/** The rate of an access key: its requests per window, how many are left, and in how many seconds all are back. */
export interface RateLimit {
  limit: number;
  remaining: number;
  resetS: number;
}

/** Reads `RateLimit-Policy` and `RateLimit`; undefined where a response has none. */
export function readRateLimit(headers: Headers): RateLimit | undefined {
  const limit = parameter(headers.get("RateLimit-Policy"), "q");
  const remaining = parameter(headers.get("RateLimit"), "r");
  const resetS = parameter(headers.get("RateLimit"), "t");
  if (limit === undefined || remaining === undefined || resetS === undefined) return undefined;
  return { limit, remaining, resetS };
}

function parameter(text: string | null, name: string): number | undefined {
  const found = text?.split(";").find((part) => part.trim().startsWith(`${name}=`));
  const value = found === undefined ? NaN : Number(found.trim().slice(2));
  return Number.isSafeInteger(value) ? value : undefined;
}
