import { z } from "@hono/zod-openapi";
import type { DraftOf } from "../../_shared/db/access/member_drafts.ts";
import type { CompanyCaller } from "../../_shared/http/guards/company_caller.ts";
import { orNull } from "../../_shared/values/or_null.ts";
import { memberOf } from "./member_of.ts";

const KIND = "1 to 40 small letters and underscores";
const KEY = "1 to 100 letters, digits, dots, colons, hyphens and underscores";

/** A form, and the thing that it is about. */
export const myDraftParams = z.object({
  kind: z.string().regex(/^[a-z_]{1,40}$/, KIND).openapi({ description: KIND, example: "widget" }),
  key: z.string().regex(/^[\w.:-]{1,100}$/, KEY).openapi({
    description: KEY,
    example: "0192f8b1-1111-4222-8333-444455556666",
  }),
});

export const myDraftBody = z.strictObject({
  body: z.record(z.string(), z.unknown()).openapi({ description: "Whatever the form holds" }),
}).openapi("MyDraftRequest");

export const myDraftSchema = z.object({
  draft: orNull(
    z.object({ body: z.record(z.string(), z.unknown()), updated_at: z.iso.datetime() }).openapi("MyDraft"),
  ).openapi({ description: "Null where there is none" }),
}).openapi("MyDraftOrNull");

const body = { name: "Website chat" };

export const myDraftBodyExample: z.input<typeof myDraftBody> = { body };

export const myDraftExample: z.input<typeof myDraftSchema> = {
  draft: { body, updated_at: "2026-12-01T09:00:00Z" },
};

/** Returns the draft that a request is about. */
export function draftOf(caller: CompanyCaller, { kind, key }: z.output<typeof myDraftParams>): DraftOf {
  return { ...memberOf(caller), kind, key };
}
