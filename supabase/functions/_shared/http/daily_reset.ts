/** When daily quotas begin anew: the next midnight in UTC, and the seconds until then. */
export function dailyReset(now: Date): { resetTime: string; retryAfterS: number } {
  const reset = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  return {
    resetTime: new Date(reset).toISOString(),
    retryAfterS: Math.ceil((reset - now.getTime()) / 1000),
  };
}
