import { z } from "@hono/zod-openapi";

/** The offsets that Postgres takes: less than 16 hours. */
const OFFSET = /(?:Z|[+-](?:0\d|1[0-5]):\d\d)$/;
const MAX_YEAR = 9999;

/** A schema of a time with its zone, in the years and offsets that the database can hold. */
export function zonedTime(error: string) {
  return z.iso.datetime({ offset: true, error }).refine(isStorable, error);
}

function isStorable(text: string): boolean {
  const year = new Date(text).getUTCFullYear();
  return OFFSET.test(text) && year >= 1 && year <= MAX_YEAR;
}
