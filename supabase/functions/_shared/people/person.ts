import { z } from "@hono/zod-openapi";
import { IANAZone } from "luxon";
import { numberSchema, userIdSchema } from "../contacts/address.ts";
import { isPhoneCountry } from "../rows/phone_cell.ts";
import { isOneLine, TRIMMED_LINE, WITHOUT_CONTROLS } from "../values/control_characters.ts";
import { isStorable } from "../values/storable_text.ts";
import { attributeNameSchema, attributeValueSchema } from "./attributes.ts";

/** How a contact is known: by number, WhatsApp user id, e-mail address, or a website's id of its visitor. */
export const ADDRESS_KINDS = ["number", "user_id", "email", "visitor"] as const;

/** How a person is reached and recognised. */
export interface ContactAddress {
  kind: typeof ADDRESS_KINDS[number];
  address: string;
}

/** A person as `outbound.learn_contacts` takes them. */
export interface Person {
  addresses: ContactAddress[];
  name?: string | undefined;
  language?: string | undefined;
  timezone?: string | undefined;
  country?: string | undefined;
  attributes?: Record<string, unknown> | undefined;
  tags?: string[] | undefined;
  /** The given values win over those of the contact. */
  overwrite?: boolean;
  /** Those of erased people are compared with them. */
  hashes?: string[];
}

const line = (max: number) =>
  z.string({ error: "text" }).max(max, `at most ${max} characters`).trim().min(1, "text that is not empty")
    .refine((text) => isOneLine(text) && isStorable(text), WITHOUT_CONTROLS).openapi({
      pattern: TRIMMED_LINE,
    });

const MAX_TAGS = 50;
const TAG_FORMAT = "1 to 50 characters without commas";

/** A person's name, in one line. */
export const nameSchema = line(200).openapi({ example: "Ana Ruiz" });

/** A tag. Commas separate tags in files. */
export const tagSchema = line(50).refine((tag) => !tag.includes(","), TAG_FORMAT).openapi({ example: "vip" });

/** All tags of a contact. */
export const tagsSchema = z.array(tagSchema).max(MAX_TAGS, `at most ${MAX_TAGS} tags`);

const LANGUAGE_FORMAT = "a language such as es or pt_BR";
const ZONE_FORMAT = "an IANA timezone name such as Europe/Madrid";
const COUNTRY_FORMAT = "a country's two letters, such as ES";

/** A language tag; `es`, `es-MX` and `es_MX` are allowed. */
export const languageSchema = z.string({ error: LANGUAGE_FORMAT })
  .regex(/^[a-z]{2,3}([_-][A-Za-z0-9]{2,8}){0,3}$/, LANGUAGE_FORMAT).openapi({ example: "es" });
/** The name of a zone in the IANA database. Offsets such as `+02:00` are refused. */
export const timezoneSchema = z.string({ error: ZONE_FORMAT })
  .refine((zone) => /^[A-Za-z]/.test(zone) && IANAZone.isValidZone(zone), ZONE_FORMAT)
  .openapi({ example: "Europe/Madrid" });
/** A country by ISO 3166-1 that has a calling code. */
export const countrySchema = z.string({ error: COUNTRY_FORMAT }).refine(isPhoneCountry, COUNTRY_FORMAT)
  .openapi({ example: "ES" });

const EMAIL_FORMAT = "an e-mail address";

/** An e-mail address, in small letters. */
export const emailSchema = z.email({ error: EMAIL_FORMAT }).max(254, EMAIL_FORMAT).toLowerCase();

const addressSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("number"), address: numberSchema }),
  z.strictObject({ kind: z.literal("user_id"), address: userIdSchema }),
  z.strictObject({ kind: z.literal("email"), address: emailSchema }),
  z.strictObject({ kind: z.literal("visitor"), address: line(200) }),
], { error: `an object with kind (${ADDRESS_KINDS.join(", ")}) and address` });

const MAX_ADDRESSES = 20;
const ADDRESSES_FORMAT = `1 to ${MAX_ADDRESSES} addresses`;

/** All addresses of a contact. */
export const addressesSchema = z.array(addressSchema).min(1, ADDRESSES_FORMAT)
  .max(MAX_ADDRESSES, ADDRESSES_FORMAT).openapi({
    description: "A number as digits with its country code, a user id, an e-mail address, or a visitor's id",
    example: [{ kind: "number", address: "34600111222" }],
  });

/** The fields of a contact that a member sets. */
export const contactFields = {
  name: nameSchema.nullish(),
  language: languageSchema.nullish(),
  timezone: timezoneSchema.nullish(),
  country: countrySchema.nullish(),
  attributes: z.record(attributeNameSchema, attributeValueSchema.nullable()).optional().openapi({
    description:
      "By name: text, a number, or true or false. The first value of an attribute decides the type of all; null removes one",
    // Generators do not know null as one of several types.
    type: "object",
    additionalProperties: true,
    example: { city: "Madrid", points: 12 },
  }),
  tags: tagsSchema.optional(),
};
