import type { RouteConfig, z } from "@hono/zod-openapi";
import type { Effect } from "../../access/effects.ts";
import type { Security } from "./security.ts";

/** The sections of the API document, in the order in which a newcomer needs them. */
export const SECTIONS = {
  Notifications: "Send template messages and place calls, and follow their results.",
  Campaigns: "Steer a campaign while it is sent, and list its recipients.",
  Contacts: "Who does not want to be written to, who agreed, and what people replied.",
  Templates: "List, read and create the message templates of your accounts.",
  Access: "Log in, and read your companies' API keys.",
  "Chat widget": "The conversations of website visitors with your company.",
  "Voice widget": "Sessions of website visitors with a voice agent, and handing them over to a person.",
  Operation: "Health, and this document.",
  Agents: "Tools for AI agents.",
  Management: "See and steer what belongs to your companies, as their member.",
  Webhooks: "Sent by the service to a company's webhook; docs/webhooks.md says when.",
  "Platform callbacks": "Called by the messaging and voice platforms and by schedulers, never by clients.",
} as const;

/** One route of the API document: named by a verb and a noun, with a summary, in one section. */
export type ApiRoute = RouteConfig & {
  /** Verb and noun, unique: generated clients name their methods after it. */
  operationId: string;
  summary: string;
  tags: [keyof typeof SECTIONS];
  /** Exactly the ways in which it may be called. */
  security: Security;
  /** Where the method does not say it: see {@link effectOf}. */
  "x-effect"?: Effect;
};

/** Returns the effect of a route: unless it says otherwise, GET reads and every other method acts. */
export function effectOf(route: Pick<ApiRoute, "method" | "x-effect">): Effect {
  return route["x-effect"] ?? (route.method === "get" ? "reads" : "acts");
}

/** A JSON body as the API document holds it. */
export type JsonBody = { content: { "application/json": { schema: z.ZodType; example: unknown } } };

/** A JSON body of the API document, with an example that fits its schema. */
export function json<Schema extends z.ZodType>(schema: Schema, example: z.input<Schema>): JsonBody {
  return { content: { "application/json": { schema, example } } };
}

/** The required JSON body of a request, with an example that works when it is sent. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema, example: z.input<Schema>) {
  return { required: true, ...json(schema, example) };
}
