import { z } from "zod";
import { platformWords } from "../platform_words.ts";
import type { ErrorAction } from "../send_outcome.ts";
import { actionFor } from "./error_actions.ts";

/** A refusal in the platform's own words and our reading of it. */
export interface PlatformError {
  code: string | null;
  action: ErrorAction;
  /** For people: our plain words, then the platform's own where it gives any. */
  reason: string;
}

const LONGEST_CODE = 64;

/** Postgres keeps it, and people read it. */
const codeSchema = z.string().regex(/^[\w.-]+$/).max(LONGEST_CODE).optional().catch(undefined);
const words = z.string().optional().catch(undefined);

/** Older answers have `status` and `message` only; `status` is a copy of `code` in newer ones. */
const objectSchema = z.looseObject({ code: codeSchema, status: codeSchema, message: words });
const listSchema = z.array(z.looseObject({
  loc: z.array(z.union([z.string(), z.number()])).optional().catch(undefined),
  msg: words,
})).min(1);

/** Reads any of the forms an error has at the platform: an object, an older object, a list, a text, or nothing. */
export function readPlatformError(
  body: unknown,
  { httpStatus, apiKey }: { httpStatus: number; apiKey: string },
): PlatformError {
  const { code, message } = detailOf(body);
  const advice = actionFor(code, httpStatus);
  const said = platformWords(message, apiKey);
  return { code, action: advice.action, reason: said === "" ? advice.reason : `${advice.reason}: ${said}` };
}

function detailOf(body: unknown): { code: string | null; message: string } {
  const detail = typeof body === "object" && body !== null && "detail" in body ? body.detail : undefined;
  if (typeof detail === "string") return { code: null, message: detail };
  const list = listSchema.safeParse(detail).data;
  if (list !== undefined) return { code: null, message: list.map(complaint).join("; ") };
  const object = objectSchema.safeParse(detail).data;
  return { code: object?.code ?? object?.status ?? null, message: object?.message ?? "" };
}

function complaint({ loc, msg }: z.infer<typeof listSchema>[number]): string {
  return [loc?.join("."), msg].filter(Boolean).join(": ");
}
