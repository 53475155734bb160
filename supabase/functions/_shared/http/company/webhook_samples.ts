import { z } from "@hono/zod-openapi";
import type { SampleEvent } from "../../events_out/webhook_settings.ts";
import { WEBHOOK_EVENTS } from "./webhook_events.ts";

/** Texts that a receiver may look at; any other field without a form of its own holds its name. */
const TEXTS: Record<string, string> = {
  category: "marketing",
  kind: "text",
  language: "en",
  name: "order_shipped",
  number: "34600111222",
  sender_number: "34900111222",
  text: "Hello",
};

const AN_ID = "0192f8c2-1111-4222-8333-444455556666";
const A_URL = "https://shop.example/shoes";

interface Field {
  const?: unknown;
  enum?: unknown[];
  type?: string;
  format?: string;
  pattern?: string;
  properties?: Record<string, Field>;
  items?: Field;
}

/**
 * Returns an event of a type with made-up data in every field, by its schema in the API document; it is marked as a test.
 */
export function sampleOf(type: string, companyId: string): SampleEvent {
  const { schema } = WEBHOOK_EVENTS.find((event) => event.type === type)!;
  const { properties } = z.toJSONSchema(schema) as Field;
  const data = valueOf("data", properties!.data!) as Record<string, unknown>;
  const [, state] = type.split(".");
  const states = properties!.data!.properties?.status?.enum ?? [];
  return {
    type,
    test: true,
    data: { ...data, company_id: companyId, ...(states.includes(state) && { status: state }) },
  };
}

function valueOf(name: string, field: Field): unknown {
  if (field.const !== undefined) return field.const;
  if (field.enum) return field.enum[0];
  switch (field.type) {
    case "object":
      return Object.fromEntries(
        Object.entries(field.properties ?? {}).map(([key, each]) => [key, valueOf(key, each)]),
      );
    case "array":
      return [valueOf(name, field.items!)];
    case "string":
      return field.format === "date-time"
        ? new Date().toISOString()
        : /(^|_)url$/.test(name)
        ? A_URL
        : field.pattern
        ? AN_ID
        : TEXTS[name] ?? name;
    case "boolean":
      return true;
    default:
      return 1;
  }
}
