import { z } from "zod";
import { templateBodySchema } from "../templates/template_body.ts";

const id = z.string().regex(/^\d{1,20}$/, "must be digits");

const numberSchema = z.strictObject({
  phoneNumberId: id,
  displayNumber: z.string().regex(/^[1-9]\d{6,14}$/, "must be digits with the country code"),
  verifiedName: z.string().min(1),
  ratePerSecond: z.number().int().min(0).optional(),
});

/** What `POST /sandbox/accounts` takes: one account, in the words of `SandboxOptions`. */
export const accountBodySchema = z.strictObject({
  wabaId: id,
  token: z.string().min(1).regex(/^\S+$/),
  numbers: z.array(numberSchema).min(1),
  templates: z.array(
    templateBodySchema.omit({ message_send_ttl_seconds: true }).extend({
      id: id.optional(),
      status: z.string().regex(/^[A-Z_]+$/),
      rejected_reason: z.string().optional(),
    }),
  ).default([]),
});
