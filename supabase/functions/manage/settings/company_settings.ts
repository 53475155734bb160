import { z } from "@hono/zod-openapi";
import { ceilingsExample, ceilingsSchema } from "../ceilings.ts";
import { capsExample, capsSchema } from "../visitor_caps.ts";

export const onUnknownSchema = z.enum(["resend", "hold"], { error: "resend or hold" });

export const callGapSchema = z.int({ error: "0 to 86400 seconds" }).min(0, "0 to 86400 seconds").max(
  86_400,
  "0 to 86400 seconds",
);

/** Whether contacts are learned. Switching it off keeps those that were. */
export const learnContactsSchema = z.boolean({ error: "true or false" }).openapi({
  description: "Whether the people whom requests and the platform's profiles name become contacts",
});

/** Whether bodies are kept. Switching it off deletes those that were. */
export const recordBodiesSchema = z.boolean({ error: "true or false" }).openapi({
  description: "Whether the beginnings of the bodies of keys' requests are kept, for owners to look at",
});

export const settingsSchema = z.object({
  api_access: z.boolean().openapi({ description: "Only the operator of this service changes it" }),
  test: z.boolean().openapi({ description: "A test company: nothing that it sends reaches a platform" }),
  on_unknown: onUnknownSchema.openapi({
    description: "The fate of a message if the platform never reports whether it took it",
  }),
  call_gap_s: callGapSchema.openapi({ description: "Seconds before one campaign calls a number again" }),
  learn_contacts: learnContactsSchema,
  record_bodies: recordBodiesSchema,
  visitor_caps: capsSchema,
  ceilings: ceilingsSchema,
}).openapi("CompanySettings");

export const settingsExample: z.input<typeof settingsSchema> = {
  api_access: true,
  test: false,
  on_unknown: "resend",
  call_gap_s: 60,
  learn_contacts: false,
  record_bodies: false,
  visitor_caps: capsExample,
  ceilings: ceilingsExample,
};
